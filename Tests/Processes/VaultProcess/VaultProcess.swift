import CLibrary
import FoundationEssentials
import SecretStorage

/// A process that works on a vault as an app does, for the vault's tests.
///
/// Standard output is a journal: a line that begins with `+` before a write, the same with `=` once
/// the vault has acknowledged it, and for a removal `-` as the value.
@main enum VaultProcess {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      guard arguments.count >= 3, let run = Job.modes[arguments[0]] else { throw Misuse() }
      let job = Job(
        file: URL(filePath: arguments[1]), state: URL(filePath: arguments[2]),
        parameters: Array(arguments.dropFirst(3)))
      try await run(job, job.vault)
    } catch {
      write("VaultProcess \(arguments): \(error)\n", to: STDERR_FILENO)
      exit(1)
    }
  }
}

/// An error for invalid arguments.
struct Misuse: Error {}

/// Writes a line to standard output in one call, so that lines of several threads do not mix.
func printLine(_ text: String) {
  write("\(text)\n", to: STDOUT_FILENO)
}

private func write(_ text: String, to descriptor: Int32) {
  let bytes = Array(text.utf8)
  guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
    fatalError("The journal cannot be written (error \(errno)).")
  }
}

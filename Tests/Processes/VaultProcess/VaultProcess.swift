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

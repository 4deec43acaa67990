import CLibrary
import FoundationEssentials
import KeyValueStorage

/// A process of an app that works on settings, for the tests of the store.
@main enum SettingsProcess {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      guard arguments.count >= 3, let run = Job.modes[arguments[0]] else { throw Misuse() }
      let job = Job(
        format: arguments[1], file: URL(filePath: arguments[2]),
        parameters: Array(arguments.dropFirst(3)))
      try run(job)
    } catch {
      write("SettingsProcess \(arguments): \(error)\n", to: STDERR_FILENO)
      exit(1)
    }
  }
}

/// Invalid arguments.
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

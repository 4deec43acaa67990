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

import CLibrary
import FoundationEssentials
import KeyValueStorage

/// A process of an app that works on settings, for the tests of the store.
@main enum SettingsProcess {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      guard arguments.count >= 3, let mode = Mode(rawValue: arguments[0]) else { throw Misuse() }
      let job = Job(
        format: arguments[1], file: URL(filePath: arguments[2]),
        parameters: Array(arguments.dropFirst(3)))
      try job.run(mode)
    } catch {
      write("SettingsProcess \(arguments): \(error)\n", to: STDERR_FILENO)
      exit(1)
    }
  }
}

/// Invalid arguments.
struct Misuse: Error {}

/// The kinds of jobs; each lists its parameters, which follow the format and the file.
enum Mode: String {
  /// `way process prefix`: sets and removes keys that begin with the name of the process, to values
  /// that begin with the prefix, on two threads until it is killed.
  ///
  /// Standard output is a journal: a line with `+` before each change, and the same line with `=`
  /// once the store has acknowledged it; the value of a removal is `-`.
  case write
  /// `way`: sets keys that are not due to be written for a long time, and ends.
  case end
  /// Prints each new value of the key `number`.
  case watch
  /// `user`: tries to write as another user, and again after the signal `USR1`.
  case refuse
  /// Increments the key `number` as fast as possible until a file with the suffix `.stop` exists;
  /// prints `=` and the number for each acknowledged write, and `!` and the error for each refused
  /// one.
  case race
  /// `stop`: increments and reads the key `number` until that file exists; prints a line for each
  /// operation, with times of a clock that processes share.
  case count
  /// `user`: performs all operations as another user that cannot create threads, and prints a line
  /// for each.
  case withoutThreads
  /// Begins a transaction, prints `ready`, and stays in it.
  case hold
  /// Sets keys, and ends while another process holds the lock; prints the messages for
  /// standard error on standard output.
  case endBusy
  /// `count`: forks that many children, which use the settings, while its threads are busy.
  case fork
}

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

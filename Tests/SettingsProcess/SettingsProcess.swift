import FoundationEssentials
import KeyValueStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Works on settings as another process of an app would, for the tests of the store.
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

/// The arguments make no sense.
struct Misuse: Error {}

/// What follows the format and the file is told for each.
enum Mode: String {
  /// `way prefix count`: sets so many keys on each of two threads, and adds to the key `counter`
  /// with each of them.
  case fill
  /// `way prefix`: sets and removes keys until it is killed.
  ///
  /// Standard output is a journal: a line that begins with `+` before a change, the same with `=`
  /// once the store has acknowledged it, and for a removal `-` as the value.
  case write
  /// `way`: sets keys that are not to be written for a long time, and ends.
  case end
  /// Prints each value that the key `number` gets.
  case watch
  /// `user`: tries to write as another user, and once more after the signal `USR1`.
  case refuse
  /// Counts the key `number` up as fast as it can until there is a file with the suffix `.stop`;
  /// prints `=` and the number for each acknowledged write, and `!` and the error for each refused
  /// one.
  case race
  /// `stop`: increments and reads the key `number` until that file exists, and prints a line for each,
  /// with the times of a clock that processes share.
  case count
  /// `user`: uses settings in all ways as another user, for whom no thread can be made, and prints
  /// a line for each.
  case withoutThreads
  /// Begins a transaction, prints `ready`, and stays in it.
  case hold
  /// `way`: sets keys, and ends while another process holds the lock; tells on standard output what
  /// it would tell on standard error.
  case endBusy
  /// `count`: forks so many children while its threads are busy, each of which uses the settings.
  case fork
}

/// Writes a line to standard output, in one call, so that lines of several threads do not mix.
func printLine(_ text: String) {
  write("\(text)\n", to: STDOUT_FILENO)
}

private func write(_ text: String, to descriptor: Int32) {
  let bytes = Array(text.utf8)
  guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
    fatalError("The journal cannot be written (error \(errno)).")
  }
}

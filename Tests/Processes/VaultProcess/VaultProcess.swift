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
      guard arguments.count >= 3, let mode = Mode(rawValue: arguments[0]) else { throw Misuse() }
      let job = Job(
        file: URL(filePath: arguments[1]), state: URL(filePath: arguments[2]),
        parameters: Array(arguments.dropFirst(3)))
      try await job.run(mode)
    } catch {
      write("VaultProcess \(arguments): \(error)\n", to: STDERR_FILENO)
      exit(1)
    }
  }
}

/// An error for invalid arguments.
struct Misuse: Error {}

/// The work of a process; the number of rounds may be `-`, for work without end.
enum Mode: String {
  /// `threads rounds prefix`: adds, changes and removes items of its own.
  case write
  /// `stop`: increments the number in the item `counter`, by compare-and-swap, and reads it, until
  /// the file `stop` exists; prints a line for each, with times of a shared clock.
  case count
  /// `rounds prefix`: repeatedly changes one item and compacts.
  case compact
  /// `rounds`: repeatedly makes a new vault beside the file, with one item.
  case create
  /// `rounds`: repeatedly changes the passphrase.
  case passphrase
  /// `rounds prefix passphrase key-file`: adds, renames and removes a slot for the key file, and
  /// changes the passphrase of the slot `person`.
  case slots
  /// `kind path permission`: repeatedly unlocks the vault by the passphrase or `key file` in a
  /// file, uses every secret, prints `unlocked`, waits until a signal has locked it, prints
  /// `locked`, and waits for the file `permission.1` and so on.
  case beLocked
  /// `passphrase stop`: until the file `stop` exists, changes and reads an item of its own,
  /// unlocking the vault when it is locked; or stays locked if the passphrase is `-`. Also reads
  /// the item `always`, and prints a line for each round.
  case accompany
  /// `attempts`: asks on the terminal for the vault's passphrase.
  case authenticate
  /// `hidden`, `visible`, `cancelled`, `handling` or `twice`: asks on the terminal.
  case ask
  /// `rounds [passphrase]`: repeatedly rotates the keys, and logs each step.
  case rotate
  /// `rounds file`: repeatedly exports to the file, and logs each step.
  case export
  /// `file`: imports from the file, logs each step, and waits for a signal.
  case `import`
  /// `settings property-list end key…`: migrates lists of numbers of 1.x into the settings until
  /// the progress is `end`. Here and below, the vault is not used.
  case settings
  /// `suite`: sets a value of each type in Foundation's `UserDefaults`.
  case userDefaults
  /// `suite settings`: imports the suite, and prints the number of keys.
  case suite
  /// `file [permission]`: migrates the variables of an `.env` file, once, prints a line, waits for
  /// the file `permission` if there is one, and removes the source.
  case migrate
  /// Uses the C libraries for the first time without a free descriptor, and again with some, and
  /// prints the result of each use.
  case descriptors
  /// `lock`: holds a lock, prints a line, and waits for a signal.
  case hold
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

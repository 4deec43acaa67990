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

enum Mode: String {
  /// `threads seconds prefix`: adds, changes and removes items of its own.
  case write
  /// `count`: adds items, while only the writes themselves can open a file.
  case starve
  /// `account`: prints the value of one item, or `-`.
  case read
  /// `count`: increments a number in the item `counter`, by compare-and-swap.
  case increment
  /// `stop`: increments the number in the item `counter`, by compare-and-swap, and reads it, until
  /// the file `stop` exists; prints a line for each, with times of a shared clock.
  case count
  /// `seconds prefix`: repeatedly changes one item and compacts.
  case compact
  /// `seconds`: repeatedly makes a new vault beside the file, with one item.
  case create
  /// `seconds`: repeatedly changes the passphrase.
  case passphrase
  /// `seconds prefix passphrase key-file`: adds, renames and removes a slot for the key file, and
  /// changes the passphrase of the slot `person`.
  case slots
  /// `path permission`: unlocks the vault by the passphrase in a file, works, prints `unlocked`,
  /// waits until a signal has locked it, prints `locked`, waits for the file `permission.1`, and
  /// repeats.
  case beLocked
  /// `passphrase stop`: until the file `stop` exists, changes and reads an item of its own,
  /// unlocking the vault when it is locked; or stays locked if the passphrase is `-`. Also reads
  /// the item `always`, and prints a line for each round.
  case accompany
  /// `attempts`: asks on the terminal for the vault's passphrase.
  case authenticate
  /// `attempts milliseconds [handling or cancelled]`: unlocks the vault by asking on the terminal,
  /// for at most that time unless it is 0, and prints the result. SIGINT is handled, or SIGUSR1
  /// cancels the task.
  case unlock
  /// `hidden`, `visible`, `cancelled`, `handling` or `twice`: asks on the terminal.
  case ask
  /// `seconds [passphrase]`: repeatedly rotates the keys, and logs each step.
  case rotate
  /// Finishes a rotation.
  case resume
  /// `seconds file`: repeatedly exports to the file.
  case export
  /// `file`: imports from the file, once.
  case `import`
  /// `service key…`: converts the texts of a 0.x adapter, once.
  case convert
  /// `settings property-list key…`: migrates lists of numbers of 1.x into the settings, once. Here
  /// and below, the vault is not used.
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
  /// `prefix name`: makes a store of the variables with the prefix, which it removes; prints the
  /// text of the item `github`, and what is left of the variables; and becomes `env`. The variable
  /// `name` is set to another value before. The vault is not used.
  case environment
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

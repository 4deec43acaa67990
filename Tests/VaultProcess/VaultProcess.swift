import FoundationEssentials
import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Works on a vault as another process of an app would, for the tests of the vault.
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

/// The arguments make no sense.
struct Misuse: Error {}

enum Mode: String {
  /// `threads seconds prefix`: adds, changes and removes items of its own.
  case write
  /// `count`: adds as many items, while no file can be opened but by the writes themselves.
  case starve
  /// `account`: prints the value of one item, or `-`.
  case read
  /// `count`: increments a number in the item `counter` so often, by compare-and-swap.
  case increment
  /// `stop`: increments, by compare-and-swap, and reads the number in the item `counter` until that file
  /// exists, and prints a line for each, with the times of a clock that processes share.
  case count
  /// `seconds prefix`: changes one item and compacts, again and again.
  case compact
  /// `seconds`: makes a new vault beside the file, again and again, with one item in each.
  case create
  /// `seconds`: gives the vault one passphrase after the other.
  case passphrase
  /// `seconds prefix passphrase key-file`: adds, renames and removes a slot for the key file, and
  /// changes the passphrase of the slot `person`.
  case slots
  /// `path permission`: unlocks the vault by the passphrase in a file, works, says `unlocked`, waits
  /// until a signal has locked it, says `locked`, waits for the file `permission.1`, and begins
  /// again.
  case beLocked
  /// `attempts`: asks on the terminal for the passphrase of the vault.
  case authenticate
  /// `hidden`, `visible`, `cancelled`, `handling` or `twice`: asks on the terminal.
  case ask
  /// `seconds [passphrase]`: rotates the keys again and again, and writes down each step.
  case rotate
  /// Finishes a rotation.
  case resume
  /// `seconds file`: exports to the file, again and again.
  case export
  /// `file`: imports from the file, once.
  case `import`
  /// `service key…`: converts the texts of a 0.x adapter, once.
  case convert
  /// `settings property-list key…`: migrates lists of numbers of 1.x into the settings, once. The vault is
  /// not used, here and below.
  case settings
  /// `suite`: sets a value of each type in Foundation's `UserDefaults`.
  case userDefaults
  /// `suite settings`: imports the suite, and says how many keys that were.
  case suite
  /// `file [permission]`: migrates the variables of an `.env` file, once, says so, waits for the file
  /// `permission` if it is named, and removes the source.
  case migrate
  /// Uses the C libraries for the first time without a file descriptor left, and again with some,
  /// and prints what came of each use.
  case descriptors
  /// `lock`: holds a lock, says so, and waits for a signal.
  case hold
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

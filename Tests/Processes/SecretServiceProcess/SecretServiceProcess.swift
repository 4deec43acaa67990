import CLibrary
import FoundationEssentials
import SecretService
import SecretStorage

/// A process that works on the Secret Service as an app does, on the bus of its environment.
@main enum SecretServiceProcess {
  static func main() {
    let arguments = CommandLine.arguments
    do {
      switch arguments.count > 1 ? arguments[1] : "" {
      case "write": try write(service: arguments[2], until: arguments[3])
      case "add": try add(account: arguments[2], after: arguments[3])
      case "hold": try holdAndRelease()
      default: exit(2)
      }
    } catch {
      printLine("\(error)")
      exit(1)
    }
  }

  private static let store = SecretServiceStore(timeLimit: .seconds(2))

  /// Adds items until a file exists, and prints the account of each that was acknowledged, perhaps
  /// after attempts that failed, and the time in milliseconds of the longest attempt at the end.
  private static func write(service: String, until stop: String) throws {
    let clock = ContinuousClock()
    var longest = Duration.zero
    var number = 0
    while !FileManager.default.fileExists(atPath: stop) {
      while true {
        let start = clock.now
        let isDone = attempt(service, number)
        longest = max(longest, clock.now - start)
        if isDone { break }
        usleep(20_000)
      }
      printLine("\(number)")
      number += 1
    }
    printLine("longest \(Int(longest / .milliseconds(1)))")
  }

  private static func attempt(_ service: String, _ number: Int) -> Bool {
    do throws(SecretStoreError) {
      _ = try store.add(
        Secret("secret \(number)".utf8),
        identity: .generic(service: service, account: "\(number)"), attributes: ItemAttributes())
      return true
    } catch {
      // An uncertain attempt was made after all.
      return error == .duplicate
    }
  }

  /// Adds one item when a file exists, and prints the outcome.
  private static func add(account: String, after start: String) throws {
    printLine("ready")
    while !FileManager.default.fileExists(atPath: start) { usleep(1000) }
    do throws(SecretStoreError) {
      _ = try SecretServiceStore().add(
        Secret(account.utf8), identity: .generic(service: "shared"), attributes: ItemAttributes())
      printLine("added")
    } catch {
      printLine(error == .duplicate ? "duplicate" : "\(error)")
    }
  }

  /// Stores a pattern, reads it, releases all copies, and waits to be looked at.
  private static func holdAndRelease() throws {
    for isText in [true, false] {
      let item = try store.add(
        pattern(isText), identity: .generic(service: "\(isText)"), attributes: ItemAttributes())
      guard try store.secret(of: item.id)?.secret == pattern(isText) else { exit(3) }
      _ = try store.update(
        item.id, expecting: item.revision, attributes: nil, secret: pattern(isText))
    }
    printLine("released")
    while true { sleep(60) }
  }

  /// Returns bytes that no other part of the program has.
  private static func pattern(_ isText: Bool) -> Secret {
    unsafe Secret(count: 600) { buffer in
      for index in 0..<600 {
        let byte = UInt8(truncatingIfNeeded: index &* index &* 31 &+ index &* 7 &+ 5)
        unsafe buffer[index] = isText ? 0x61 + byte % 26 : byte | 0x80
      }
    }
  }

  private static func printLine(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = unsafe CLibrary.write(STDOUT_FILENO, bytes, bytes.count)
  }
}

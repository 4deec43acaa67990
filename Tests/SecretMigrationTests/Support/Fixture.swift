import FoundationEssentials
import TestSupport
import Testing

// Files written by other programs, which `Fixtures/README.md` describes.
extension Fixture {
  /// The passphrase of all files.
  static let passphrase = "correct horse"

  static let keychainBinary = file("keychain-binary")
  static let keychainXML = file("keychain-xml")
  static let keychainJSON = file("keychain-json")
  static let keychainWithoutDate = file("keychain-without-date")
  static let libsecret = file("libsecret")
  static let libsecretOfTwoPassphrases = file("libsecret-two-passphrases")
  static let libsecretWithOddNames = file("libsecret-odd-names")

  /// A text, and its value or the number of the line with the error.
  struct EnvironmentLine: Decodable, CustomTestStringConvertible {
    let text: String
    let value: String?
    let line: Int?

    var testDescription: String { text }
  }

  static let environmentLines: [EnvironmentLine] = {
    do {
      let bytes = Data(file("environment-lines.json"))
      let lines = try JSONDecoder().decode([EnvironmentLine].self, from: bytes)
      precondition(lines.count > 100)
      return lines
    } catch {
      fatalError("The lines cannot be decoded: \(error)")
    }
  }()

  /// Sealed items that do not open, after one iteration of the key derivation, which costs little.
  static let cheapLibsecret = libsecret(iterations: [1, 0, 0, 0])

  static func libsecret(iterations: [UInt8]) -> [UInt8] {
    var bytes = libsecret
    // The field follows the magic bytes, the version, the salt and its length.
    bytes.replaceSubrange(54..<58, with: iterations)
    return bytes
  }

  private static func file(_ name: String) -> [UInt8] {
    do {
      return try content(of: url(name).path)
    } catch {
      fatalError("\(name) cannot be read: \(error)")
    }
  }
}

import FoundationEssentials

/// Files written by other programs, with made-up secrets.
enum Fixture {
  /// The passphrase of all files.
  static let passphrase = "correct horse"

  static func bytes(_ base64: String) -> [UInt8] {
    guard let data = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) else {
      fatalError("This is not base64.")
    }
    return [UInt8](data)
  }
}

import LibCrypto
import SecretStorage

/// A parsed keyring of `keyrings.cryptfile`, whose passwords are still encrypted.
struct CryptFile {
  /// An encrypted password.
  struct Entry {
    let position: String
    let service: EscapedName
    let account: EscapedName
    let value: CryptFileValue
  }

  private static let settings = "keyring_2Dsetting"
  private static let reference = "password_20reference"
  private static let settingNames: Set = [reference, "scheme", "version"]
  private static let referenceValue = "password reference value"
  private static let scheme = "[Argon2]AES128.GCM"

  let entries: [Entry]
  private let reference: Entry

  init(_ file: ConfigurationFile, of path: String) throws(MigrationError) {
    var settings: [String: ConfigurationFile.Option] = [:]
    var entries: [Entry] = []
    for option in file.options {
      let name = option.name.lowercased()
      if option.section == Self.settings, Self.settingNames.contains(name) {
        settings[name] = option
      } else {
        // A service may have the same name as the section of the settings.
        entries.append(try Entry(option, of: path))
      }
    }
    guard let reference = settings[Self.reference], let scheme = settings["scheme"] else {
      throw .malformed(path: path, reason: "it is not a keyring of keyrings.cryptfile")
    }
    // Older versions add the name of the library.
    let name = scheme.value.filter { $0 != " " }
    guard name.replacing("PyCryptodome", with: "", maxReplacements: 1) == Self.scheme else {
      throw .unsupported(
        path: path,
        reason: """
          only the encryption scheme [Argon2] AES128.GCM is supported; convert the keyring with \
          cryptfile-convert, a program of keyrings.cryptfile
          """)
    }
    self.reference = try Entry(reference, of: path)
    self.entries = entries
  }

  /// Checks the passphrase; throws `wrongPassphrase` if it is wrong.
  func check(
    _ passphrase: Secret, _ derivation: Argon2.Derivation, _ cipher: ForeignCipher, of path: String
  ) throws(MigrationError) {
    let decrypted = try reference.value.decrypted(
      with: passphrase, derivation, cipher, service: reference.service, account: reference.account)
    guard let decrypted else { throw .wrongPassphrase(path: path) }
    if decrypted.secret != Secret(Self.referenceValue.utf8) {
      throw .malformed(path: path, reason: "its reference value is wrong")
    }
  }
}

extension CryptFile.Entry {
  fileprivate init(_ option: ConfigurationFile.Option, of path: String) throws(MigrationError) {
    position = "line \(option.line)"
    guard let service = EscapedName(option.section), let account = EscapedName(option.name) else {
      throw .malformed(path: path, reason: "\(position): a name is not escaped correctly")
    }
    guard let value = CryptFileValue(option.value) else {
      throw .malformed(path: path, reason: "\(position): the value is not an encrypted password")
    }
    self.service = service
    self.account = account
    self.value = value
  }
}

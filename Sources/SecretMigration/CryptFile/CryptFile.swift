import SecretStorage

/// A keyring of `keyrings.cryptfile`, before anything in it is decrypted.
struct CryptFile {
  /// A password of the file.
  struct Entry {
    let place: String
    let service: EscapedName
    let account: EscapedName
    let value: CryptFileValue
  }

  private static let settings = "keyring_2Dsetting"
  private static let reference = "password_20reference"
  private static let known: Set = [reference, "scheme", "version"]
  private static let referenceValue = "password reference value"
  private static let scheme = "[Argon2]AES128.GCM"

  let entries: [Entry]
  private let reference: Entry

  init(_ file: ConfigurationFile, of path: String) throws(MigrationError) {
    var settings: [String: ConfigurationFile.Option] = [:]
    var entries: [Entry] = []
    for option in file.options {
      let name = option.name.lowercased()
      if option.section == Self.settings, Self.known.contains(name) {
        settings[name] = option
      } else {
        // Passwords of a service of that name stand in the section of the settings.
        entries.append(try Entry(option, of: path))
      }
    }
    guard let reference = settings[Self.reference], let scheme = settings["scheme"] else {
      throw .malformed(path: path, reason: "it is no keyring of keyrings.cryptfile")
    }
    // Older versions named the library, too.
    let name = scheme.value.filter { $0 != " " }.replacing(
      "PyCryptodome", with: "", maxReplacements: 1)
    guard name == Self.scheme else {
      throw .unsupported(
        path: path,
        reason: """
          only the encryption scheme [Argon2] AES128.GCM is read; the program cryptfile-convert of \
          keyrings.cryptfile changes a keyring to it
          """)
    }
    self.reference = try Entry(reference, of: path)
    self.entries = entries
  }

  /// Refuses a wrong passphrase.
  func check(
    _ passphrase: Secret, _ derivation: Argon2.Derivation, _ cipher: ForeignCipher, of path: String
  ) throws(MigrationError) {
    let opened = try reference.value.opened(
      with: passphrase, derivation, cipher, service: reference.service, account: reference.account)
    guard let opened else { throw .wrongPassphrase(path: path) }
    if opened.secret != Secret(Self.referenceValue.utf8) {
      throw .malformed(path: path, reason: "its reference is not that of a keyring")
    }
  }
}

extension CryptFile.Entry {
  fileprivate init(_ option: ConfigurationFile.Option, of path: String) throws(MigrationError) {
    place = "line \(option.line)"
    guard let service = EscapedName(option.section), let account = EscapedName(option.name) else {
      throw .malformed(path: path, reason: "\(place): a name is not escaped as in a keyring")
    }
    guard let value = CryptFileValue(option.value) else {
      throw .malformed(path: path, reason: "\(place): the value is not that of a password")
    }
    self.service = service
    self.account = account
    self.value = value
  }
}

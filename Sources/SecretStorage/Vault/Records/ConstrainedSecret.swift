/// The payload of an item with access flags, which does not depend on the vault or its keys: its
/// secret, and the data to check the flags.
struct ConstrainedSecret: Sendable {
  /// The digest of the enrolled set when the item was saved; empty if the flags do not require it.
  let enrolledSet: [UInt8]
  /// The derivation of the key from an application password; nil without one.
  var derivation: ApplicationPassword.Derivation?
  /// The secret, which may be sealed under an application password.
  let content: Secret

  private static let digestSize = 32
  private static let saltSize = 32
}

extension ConstrainedSecret {
  init(
    enrolledSet: [UInt8], sealing secret: Secret, of identity: ItemIdentity,
    under password: ApplicationPassword, cost: ScryptCost, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void = {}
  ) throws(SecretStoreError) {
    self.enrolledSet = enrolledSet
    let derivation = ApplicationPassword.Derivation(
      cost: cost, salt: try password.salt(for: secret, cipher))
    self.derivation = derivation
    content = Secret(
      try cipher.seal(
        secret, with: password.key(derivation, cipher, checking: check),
        authenticating: VaultItem.passwordContext(of: identity)))
  }

  /// Returns the secret, opened with the password if it is sealed under one; `check` cancels.
  func secret(
    of identity: ItemIdentity, with password: ApplicationPassword?, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void = {}
  ) throws(SecretStoreError) -> Secret {
    guard let derivation else { return content }
    guard let password else { throw .needsApplicationPassword }
    try derivation.cost.checkStored(by: "An application password")
    let key = try password.key(derivation, cipher, checking: check)
    let secret = try nilIfCorrupted(
      cipher.open(
        content.bytes(0..<content.count)[...], with: key,
        authenticating: VaultItem.passwordContext(of: identity)))
    // The payload is authentic, so the password must be wrong.
    guard let secret else { throw .wrongApplicationPassword }
    return secret
  }

  var payload: Secret {
    var header: [UInt8] = []
    header.append(counted: enrolledSet)
    if let derivation {
      header.append(derivation.cost)
      header += derivation.salt
    }
    return Secret(header).followed(by: content)
  }

  init(decoding payload: Secret, hasPassword: Bool) throws(MalformedRecord) {
    var position = 0
    func read(_ count: Int) throws(MalformedRecord) -> RecordReader {
      guard count <= payload.count - position else { throw MalformedRecord() }
      defer { position += count }
      return RecordReader(payload.bytes(position..<(position + count))[...])
    }
    var countReader = try read(4)
    let count = Int(try countReader.integer(UInt32.self))
    guard count == 0 || count == Self.digestSize else { throw MalformedRecord() }
    enrolledSet = Array(try read(count).remaining)
    if hasPassword {
      var reader = try read(9 + Self.saltSize)
      derivation = .init(cost: try reader.cost(), salt: Array(reader.remaining))
    }
    content = payload.slice(position...)
  }
}

extension SecretStoreError {
  static let needsApplicationPassword = SecretStoreError.denied(
    "it requires its application password, in an authentication context")
}

extension Secret {
  fileprivate func bytes(_ range: Range<Int>) -> [UInt8] {
    // The bytes are copied inside the closure, and the subscript checks the range.
    unsafe withUnsafeBytes { unsafe Array($0[range]) }
  }
}

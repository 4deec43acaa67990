/// What is sealed for an item with access flags: its secret, and what the flags need to be checked.
///
/// The vault's own sealing goes around it and is another matter: what is here stays the same under
/// other class keys, and in another vault.
struct ConstrainedSecret: Sendable {
  /// How the secret is sealed once more.
  struct PasswordSealing: Sendable {
    let cost: ScryptCost
    let salt: [UInt8]
  }

  /// The digest of what was enrolled when the item was saved; empty where that does not matter.
  let enrolledSet: [UInt8]
  /// Nil when the content is the secret itself.
  let sealing: PasswordSealing?
  let content: Secret

  private static let digestCount = 32
  private static let saltCount = 32
  private static let purpose = "locket application password"

  init(enrolledSet: [UInt8], sealing: PasswordSealing? = nil, content: Secret) {
    self.enrolledSet = enrolledSet
    self.sealing = sealing
    self.content = content
  }

  /// Seals a secret under a password, so that the password is needed whatever else is known.
  init(
    enrolledSet: [UInt8], sealing secret: Secret, of identity: ItemIdentity,
    under password: ApplicationPassword, cost: ScryptCost, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    self.enrolledSet = enrolledSet
    let sealing = PasswordSealing(cost: cost, salt: try .random(Self.saltCount))
    self.sealing = sealing
    content = Secret(
      try cipher.seal(
        secret, with: Self.key(password, sealing, cipher),
        authenticating: VaultItem.passwordContext(of: identity)))
  }

  /// Opens the secret, with a password where it is sealed under one.
  ///
  /// - Throws: ``SecretStoreError/wrongApplicationPassword``, ``SecretStoreError/denied(_:)`` without a
  ///   password, or ``SecretStoreError/corrupted(_:)`` for a cost that nobody could have wanted.
  func secret(
    of identity: ItemIdentity, with password: ApplicationPassword?, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    guard let sealing else { return content }
    guard let password else { throw .needsApplicationPassword }
    guard sealing.cost.isBearable else {
      throw .corrupted("An application password asks for an absurd amount of work")
    }
    let key = try Self.key(password, sealing, cipher)
    do {
      return try cipher.open(
        content.bytes(0..<content.count)[...], with: key,
        authenticating: VaultItem.passwordContext(of: identity))
    } catch {
      // The sealing around it was authentic, so that no damage can be the reason.
      guard case .corrupted = error else { throw error }
      throw .wrongApplicationPassword
    }
  }

  private static func key(
    _ password: ApplicationPassword, _ sealing: PasswordSealing, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    let stretched = try password.key(salt: sealing.salt, cost: sealing.cost, cipher)
    return try cipher.deriveKey(from: stretched, salt: sealing.salt[...], purpose: purpose)
  }
}

// How it stands in what the vault seals.
extension ConstrainedSecret {
  var payload: Secret {
    var head: [UInt8] = []
    head.append(counted: enrolledSet)
    if let sealing {
      head.append(sealing.cost.logarithmicCost)
      head.append(littleEndian: sealing.cost.blockSize)
      head.append(littleEndian: sealing.cost.parallelization)
      head += sealing.salt
    }
    return Secret(head).followed(by: content)
  }

  init(reading payload: Secret, hasPassword: Bool) throws(MalformedRecord) {
    var position = 0
    func take(_ count: Int) throws(MalformedRecord) -> RecordReader {
      guard count <= payload.count - position else { throw MalformedRecord() }
      defer { position += count }
      return RecordReader(payload.bytes(position..<(position + count))[...])
    }
    var counter = try take(4)
    let count = Int(try counter.integer(UInt32.self))
    guard count == 0 || count == Self.digestCount else { throw MalformedRecord() }
    enrolledSet = Array(try take(count).remaining)
    if hasPassword {
      var reader = try take(9 + Self.saltCount)
      let cost = ScryptCost(
        logarithmicCost: try reader.integer(), blockSize: try reader.integer(),
        parallelization: try reader.integer())
      sealing = PasswordSealing(cost: cost, salt: Array(reader.remaining))
    } else {
      sealing = nil
    }
    content = payload.dropFirst(position)
  }
}

extension SecretStoreError {
  static let needsApplicationPassword = SecretStoreError.denied(
    "it needs its application password, in an authentication context")
}

extension Secret {
  fileprivate func bytes(_ range: Range<Int>) -> [UInt8] {
    // The range is within the bytes, and they are copied inside the closure.
    unsafe withUnsafeBytes { unsafe Array($0[range]) }
  }

  fileprivate func dropFirst(_ count: Int) -> Secret {
    unsafe withUnsafeBytes { unsafe Secret($0.dropFirst(count)) }
  }
}

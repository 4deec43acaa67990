/// A slot of a vault, which holds the user key sealed under one unlock key.
struct KeySlot: Sendable {
  let id: UInt32
  var name: String
  var kind: SlotKind
  var salt: ArraySlice<UInt8> = []
  /// A value that distinguishes a wrong unlock key from a damaged slot; empty for a device.
  var checkValue: ArraySlice<UInt8> = []
  /// The user key, sealed under a key that is derived from the unlock key and the salt.
  var sealed: ArraySlice<UInt8> = []
  var unknown: ArraySlice<UInt8> = []
}

extension KeySlot {
  static let nameSizes = 1...200
  private static let checkSize = 16

  /// Creates a slot by sealing a user key; a passphrase must already be stretched.
  init(
    id: UInt32, name: String, sealing user: Secret, under key: SlotKey, by sealer: VaultSealer
  ) throws(SecretStoreError) {
    (self.id, self.name, kind, salt) = (id, name, key.kind, key.salt)
    if salt.isEmpty {
      salt = try sealer.cipher.salt(for: user, under: key.secret, sequence: UInt64(id))[...]
    }
    sealed = try sealer.seal(
      user, under: key.secret, salt: salt, purpose: kind.purpose("slot"),
      authenticating: sealer.vaultID)[...]
    if kind.hasCheck { checkValue = try checkValue(of: key.secret, sealer.cipher) }
  }

  /// Opens the slot; returns nil if the key is wrong or of another kind than the slot.
  ///
  /// Throws `corrupted` if the key is right but the slot is damaged, or if its cost is not allowed.
  func open(
    with slotKey: SlotKey, by sealer: VaultSealer,
    checking check: () throws(SecretStoreError) -> Void = {}
  ) throws(SecretStoreError) -> Secret? {
    guard kind.accepts(slotKey.kind) else { return nil }
    var secret = slotKey.secret
    if let cost = kind.cost {
      // An attacker could lower the cost in the file to make the passphrase easier to guess.
      try cost.checkStored(by: "The key slot \"\(name)\"")
      secret = try sealer.cipher.stretch(secret, salt: salt, cost: cost, checking: check)
    }
    if kind.hasCheck, try checkValue(of: secret, sealer.cipher) != checkValue { return nil }
    let user = try sealer.open(
      sealed, under: secret, salt: salt, purpose: kind.purpose("slot"),
      authenticating: sealer.vaultID)
    if user != nil || !kind.hasCheck { return user }
    throw .corrupted("The key slot \"\(name)\" is damaged, although the \(kind.label) is correct")
  }

  private func checkValue(
    of secret: Secret, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> ArraySlice<UInt8> {
    let derived = try cipher.deriveKey(from: secret, salt: salt, purpose: kind.purpose("check"))
    return unsafe derived.withUnsafeBytes { unsafe Array($0.prefix(Self.checkSize))[...] }
  }

  func isOfDevice(_ secret: Secret?, by sealer: VaultSealer) throws(SecretStoreError) -> Bool {
    guard let secret else { return false }
    return try open(with: .device(secret), by: sealer) != nil
  }

  /// The cost of trying a passphrase on the slot: its memory in bytes, times the number of passes.
  var work: UInt64 {
    guard let cost = kind.cost, let memory = cost.memory else { return 0 }
    return memory * UInt64(cost.parallelization)
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: id)
    bytes.append(counted: name.utf8)
    kind.encode(into: &bytes)
    if !kind.isKnown { return bytes + unknown }
    bytes.append(counted: salt)
    if kind.hasCheck { bytes.append(counted: checkValue) }
    bytes.append(counted: sealed)
    return bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(MalformedRecord) {
    var reader = RecordReader(bytes)
    id = try reader.integer()
    name = String(decoding: try reader.countedBytes(Self.nameSizes), as: UTF8.self)
    kind = try SlotKind(&reader)
    if kind.isKnown {
      salt = try reader.countedBytes()
      if kind.hasCheck { checkValue = try reader.countedBytes() }
      sealed = try reader.countedBytes()
    } else {
      unknown = reader.remaining
    }
  }
}

/// The sealed secret of an item; with access flags, its content is a ``ConstrainedSecret``.
struct SealedSecret: Sendable {
  /// The item's revision when the secret was sealed.
  let revision: UInt64
  /// The identifier of the key under which the secret is sealed.
  let key: UInt32
  let accessibility: Accessibility
  /// The item's access flags, which have not changed since the secret was sealed.
  let flags: AccessFlags
  let salt: ArraySlice<UInt8>
  var content: SealedContent

  private static let purpose = "locket secret"

  /// Seals a secret for an item, with padding that hides its length.
  static func seal(
    _ secret: Secret, of item: SecretItem.ID, revision: UInt64, accessibility: Accessibility,
    flags: AccessFlags, under key: TableKey, by sealer: VaultSealer
  ) throws(SecretStoreError) -> SealedSecret {
    let padded = secret.padded
    let salt = try sealer.cipher.salt(for: padded, under: key.secret, sequence: revision)
    var sealed = SealedSecret(
      revision: revision, key: key.id, accessibility: accessibility, flags: flags, salt: salt[...],
      content: .memory([]))
    let bytes = try sealer.seal(
      padded, under: key.secret, salt: salt[...], purpose: purpose,
      authenticating: sealed.additionalData(of: item, in: sealer.vaultID))
    sealed.content = .memory(bytes[...])
    return sealed
  }

  /// Derives the key of this secret from the key of its accessibility.
  func recordKey(
    from key: Secret, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    try cipher.deriveKey(from: key, salt: salt, purpose: Self.purpose)
  }

  func open(
    of item: SecretItem.ID, with recordKey: Secret, by sealer: VaultSealer
  ) throws(SecretStoreError) -> Secret {
    let padded = try sealer.cipher.open(
      content.bytes(), with: recordKey,
      authenticating: additionalData(of: item, in: sealer.vaultID))
    guard let secret = padded.unpadded else { throw .corrupted("A secret is malformed") }
    return secret
  }

  /// Returns the additional authenticated data, which binds the secret to the item.
  private func additionalData(of item: SecretItem.ID, in vaultID: [UInt8]) -> [UInt8] {
    var additionalData: [UInt8] = []
    additionalData.reserveCapacity(64)
    additionalData += vaultID
    additionalData.append(item)
    additionalData.append(littleEndian: revision)
    additionalData.append(littleEndian: key)
    additionalData.append(accessibility.rawValue)
    if !flags.isEmpty { additionalData.append(littleEndian: flags.rawValue) }
    return additionalData
  }
}

/// The sealed bytes of secrets, in memory or in the log that they were read from.
///
/// Large secrets stay in the log, so that a vault with many of them uses little memory.
enum SealedContent: Sendable {
  case memory(ArraySlice<UInt8>)
  case stored(any RecordSource, offset: Int, count: Int)

  /// The average secret size from which a record's secrets stay in the log, in bytes.
  private static let storedSize = 4096

  /// The secrets at the end of a record that was read, for the given number of items.
  init(_ bytes: ArraySlice<UInt8>, of record: LogRecord, itemCount: Int) {
    if let source = record.source, bytes.count / max(itemCount, 1) >= Self.storedSize {
      let offset = record.offset + bytes.startIndex - record.payload.startIndex
      self = .stored(source, offset: offset, count: bytes.count)
    } else {
      // A copy, because a slice would keep the whole file in memory.
      self = .memory(Array(bytes)[...])
    }
  }

  var count: Int {
    switch self {
    case .memory(let bytes): bytes.count
    case .stored(_, _, let count): count
    }
  }

  var isStored: Bool { if case .stored = self { true } else { false } }

  /// The part in a range of offsets.
  subscript(range: Range<Int>) -> SealedContent {
    switch self {
    case .memory(let bytes): .memory(bytes.dropFirst(range.lowerBound).prefix(range.count))
    case .stored(let source, let offset, _):
      .stored(source, offset: offset + range.lowerBound, count: range.count)
    }
  }

  /// The content without other content that it may share memory with.
  var copy: SealedContent {
    if case .memory(let bytes) = self { .memory(Array(bytes)[...]) } else { self }
  }

  /// Returns the bytes, which are read from the log if they are stored there.
  func bytes() throws(SecretStoreError) -> ArraySlice<UInt8> {
    switch self {
    case .memory(let bytes): bytes
    case .stored(let source, let offset, let count): try source.bytes(at: offset, count: count)
    }
  }
}

/// A secret as it stands in a record.
///
/// Where the item has access flags, what is sealed is a ``ConstrainedSecret``, which is opaque
/// here.
struct SealedSecret: Sendable {
  /// The item's revision when the secret was sealed.
  let revision: UInt64
  /// The number of the key that it is sealed under.
  let key: UInt32
  let accessibility: Accessibility
  /// The item's flags, which are the same as when the secret was sealed.
  let flags: AccessFlags
  let salt: ArraySlice<UInt8>
  let bytes: ArraySlice<UInt8>

  private static let purpose = "locket secret"

  /// Seals a secret for an item, its length hidden in a bucket.
  static func seal(
    _ secret: Secret, of item: SecretItem.ID, revision: UInt64, accessibility: Accessibility,
    flags: AccessFlags, under key: UInt32, _ secretKey: Secret, in vaultID: [UInt8],
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> SealedSecret {
    let padded = secret.padded
    let salt = try cipher.salt(for: padded, under: secretKey, sequence: revision)
    let shell = SealedSecret(
      revision: revision, key: key, accessibility: accessibility, flags: flags, salt: salt[...],
      bytes: [])
    let sealed = try cipher.seal(
      padded, with: cipher.deriveKey(from: secretKey, salt: salt[...], purpose: purpose),
      authenticating: shell.context(of: item, in: vaultID))
    return SealedSecret(
      revision: revision, key: key, accessibility: accessibility, flags: flags, salt: salt[...],
      bytes: sealed[...])
  }

  /// The key of this one secret.
  func recordKey(
    from key: Secret, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    try cipher.deriveKey(from: key, salt: salt, purpose: Self.purpose)
  }

  /// Opens the secret with its own key.
  func open(
    of item: SecretItem.ID, with recordKey: Secret, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    let padded = try cipher.open(
      bytes, with: recordKey, authenticating: context(of: item, in: vaultID))
    guard let secret = padded.unpadded else { throw .corrupted("A secret is malformed") }
    return secret
  }

  /// What the sealing is bound to, so that it fits no other item, revision, class, flags or vault.
  private func context(of item: SecretItem.ID, in vaultID: [UInt8]) -> [UInt8] {
    var context: [UInt8] = []
    context.reserveCapacity(64)
    context += vaultID
    context.append(item)
    context.append(littleEndian: revision)
    context.append(littleEndian: key)
    context.append(accessibility.rawValue)
    if !flags.isEmpty { context.append(littleEndian: flags.rawValue) }
    return context
  }
}

/// The size to which a count of bytes is padded: a multiple of 64, and for large ones a number with
/// few significant bits, at most 12 % more.
///
/// The rule for large ones is PADMÉ of "Reducing Metadata Leakage from Encrypted Files and
/// Communication with PURBs" (PETS 2019).
func bucket(for count: Int) -> Int {
  let size = max(count, 64)
  let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
  let significant = Int.bitWidth - exponent.leadingZeroBitCount
  let mask = max((1 << (exponent - significant)) - 1, 63)
  return (size + mask) & ~mask
}

extension Secret {
  /// The length, the bytes, and zeros up to the bucket.
  fileprivate var padded: Secret {
    let count = count
    return unsafe Secret(count: bucket(for: 4 + count)) { buffer in
      for index in 0..<4 {
        unsafe buffer[index] = UInt8(truncatingIfNeeded: count >> (8 * index))
      }
      unsafe withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[4...])
          .copyMemory(from: $0)
      }
    }
  }

  /// The bytes without length and padding; nil when they are not so built.
  fileprivate var unpadded: Secret? {
    unsafe withUnsafeBytes { padded in
      guard padded.count >= 4 else { return nil }
      let count = Int(UInt32(littleEndian: unsafe padded.loadUnaligned(as: UInt32.self)))
      guard count <= padded.count - 4 else { return nil }
      return unsafe Secret(count: count) { buffer in
        unsafe UnsafeMutableRawBufferPointer(buffer)
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: padded[4..<(4 + count)]))
      }
    }
  }
}

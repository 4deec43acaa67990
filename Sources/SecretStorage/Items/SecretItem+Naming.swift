import FoundationEssentials

extension SecretItem.ID {
  /// A new random name, in the form of a UUID of version 4.
  ///
  /// Not `UUID()`, which repeats itself without a word where `/dev/urandom` cannot be opened.
  static func random() throws(SecretStoreError) -> SecretItem.ID {
    var bytes = try [UInt8].random(16)
    // The version's bits keep a name from being what no name is, all bits clear or set.
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return SecretItem.ID(bytes[...])
  }

  /// A new name that no item has.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when the source repeats itself.
  static func unused(
    from source: () throws(SecretStoreError) -> SecretItem.ID = random,
    isTaken: (SecretItem.ID) -> Bool
  ) throws(SecretStoreError) -> SecretItem.ID {
    // Of 122 random bits, not even one name is ever taken.
    for _ in 0..<8 {
      let id = try source()
      if !isTaken(id) { return id }
    }
    throw .unavailable(
      """
      The item was not added: this machine's generator of random numbers repeats itself, and each name \
      that it gave is that of another item.
      """)
  }

  /// The name of 16 bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    precondition(bytes.count == 16, "A name has 16 bytes, not \(bytes.count).")
    // Exactly the size of a UUID is read.
    self = unsafe bytes.withUnsafeBytes {
      SecretItem.ID(bytes: UUID(uuid: unsafe $0.loadUnaligned(as: uuid_t.self)))
    }
  }
}

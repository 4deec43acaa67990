import FoundationEssentials

/// The sealing and opening of the secrets, keys and records of one vault.
struct VaultSealer: Sendable {
  /// The size of the salt that follows the header of a record, in bytes.
  static let saltSize = 32
  /// The size of a write ID, with which the salts of the write's records begin, in bytes.
  private static let writeIDSize = 8
  private static let attributesPurpose = "locket attributes"
  static let tagSize = 16

  let vaultID: [UInt8]
  let cipher: any SecretCipher

  /// Seals a message under a key that is derived from another key, a salt and a purpose.
  func seal(
    _ message: Secret, under key: Secret, salt: ArraySlice<UInt8>, purpose: String,
    authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    let derived = try cipher.deriveKey(from: key, salt: salt, purpose: purpose)
    return try cipher.seal(message, with: derived, authenticating: context)
  }

  /// Opens a sealed message; returns nil if an argument differs from the one for sealing.
  func open(
    _ sealed: ArraySlice<UInt8>, under key: Secret, salt: ArraySlice<UInt8>, purpose: String,
    authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret? {
    let derived = try cipher.deriveKey(from: key, salt: salt, purpose: purpose)
    return try nilIfCorrupted(cipher.open(sealed, with: derived, authenticating: context))
  }

  /// Returns a record of items; `first` is the sequence of an appended write's first record.
  func items(
    _ entries: [ItemEntry], after head: ChainHead, under key: TableKey,
    writtenFrom first: UInt64? = nil
  ) throws(SecretStoreError) -> LogRecord {
    let header = try RecordHeader(kind: .items, after: head)
    var attributes: [UInt8] = []
    attributes.append(head.subject.id)
    attributes.append(littleEndian: UInt32(entries.count))
    for entry in entries { entry.encode(into: &attributes) }
    attributes += [UInt8](repeating: 0, count: paddedSize(for: attributes.count) - attributes.count)

    let opened = Secret(attributes)
    var salt = try cipher.salt(for: opened, under: key.secret, sequence: header.sequence)
    if let first {
      // The other 24 bytes still make the salt unique.
      salt.replaceSubrange(..<Self.writeIDSize, with: try writeID(startingAt: first))
    }
    var payload = header.encoded
    payload += salt
    payload.append(littleEndian: key.id)
    payload.append(littleEndian: UInt32(attributes.count))
    payload += try seal(
      opened, under: key.secret, salt: salt[...], purpose: Self.attributesPurpose,
      authenticating: vaultID + payload)
    for case .put(let item) in entries { payload += try item.sealed.bytes() }
    return LogRecord(payload: payload[...], digest: try cipher.digest(payload[...])[...])
  }

  /// Returns a record of the key table, with a tag under the user key, and tags under the link
  /// keys, which readers can check while the vault is locked.
  func keys(
    _ table: KeyTable, after head: ChainHead, logStart: UInt64, under ring: KeyRing
  ) throws(SecretStoreError) -> LogRecord {
    guard let user = ring.user else { throw .locked() }
    if table.slots.count > KeyTable.slotLimit {
      throw .invalid("A vault can have at most \(KeyTable.slotLimit) key slots: remove one first")
    }
    if table.keys.count > KeyTable.keyLimit {
      throw .invalid("The vault has too many keys: finish the rotation with resumeRotation()")
    }
    let header = try RecordHeader(kind: .keys, after: head)
    let encoded = table.encoded
    var payload = header.encoded
    payload += try cipher.salt(for: Secret(encoded), under: user, sequence: header.sequence)
    payload.append(head.subject.id)
    payload.append(littleEndian: logStart)
    payload.append(counted: encoded)
    let links = try ring.linkKeys(of: table)
    let linked = payload
    payload.append(UInt8(links.count))
    for link in links {
      payload.append(littleEndian: link.id)
      payload += try tag(of: linked, under: link.secret)
    }
    payload += try tag(of: payload, under: user)
    guard payload.count <= KeyTableRecord.sizeLimit else {
      throw .invalid("The vault's keys and slots would exceed 1 MiB: remove a slot first")
    }
    return LogRecord(payload: payload[...], digest: try cipher.digest(payload[...])[...])
  }

  /// Returns the ID of the write whose first record has a sequence number, which shows whether a
  /// damaged record and an intact one after it belong to one write, which may be interrupted.
  func writeID(startingAt first: UInt64) throws(SecretStoreError) -> ArraySlice<UInt8> {
    var bytes = vaultID
    bytes.append(littleEndian: first)
    return try cipher.digest(bytes[...])[..<Self.writeIDSize]
  }

  /// Returns the write ID in a record of items; for another record, arbitrary bytes.
  static func writeID(of payload: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    payload.dropFirst(RecordHeader.size).prefix(writeIDSize)
  }

  func tag(
    of payload: some Collection<UInt8>, under key: Secret
  ) throws(SecretStoreError) -> [UInt8] {
    let payload = Array(payload)
    let salt = payload[RecordHeader.size..<(RecordHeader.size + Self.saltSize)]
    return try seal(
      Secret([]), under: key, salt: salt, purpose: "locket key table", authenticating: payload)
  }

  /// Returns the identifier of the key that seals a record's attributes.
  static func attributesKey(of payload: ArraySlice<UInt8>) -> UInt32? {
    let rest = payload.dropFirst(RecordHeader.size + saltSize)
    return rest.count < 4 ? nil : rest.littleEndianUInt32(at: rest.startIndex)
  }

  /// Opens the attributes of a record; throws `corrupted` if it is malformed or not authentic.
  func openItems(
    _ record: LogRecord, with attributesKey: Secret
  ) throws(SecretStoreError) -> ItemsRecord {
    do {
      let payload = record.payload
      var reader = RecordReader(payload)
      _ = try reader.bytes(RecordHeader.size)
      let salt = try reader.bytes(Self.saltSize)
      _ = try reader.integer(UInt32.self)
      let count = Int(try reader.integer(UInt32.self)) + Self.tagSize
      let context = vaultID + payload[..<reader.remaining.startIndex]
      let sealed = try reader.bytes(count)
      let key = try cipher.deriveKey(
        from: attributesKey, salt: salt, purpose: Self.attributesPurpose)
      let opened = try cipher.open(sealed, with: key, authenticating: context)
      let attributes = unsafe opened.withUnsafeBytes { unsafe Array($0) }
      var secrets = RecordReader(reader.remaining)
      reader = RecordReader(attributes[...])
      var content = ItemsRecord(previousSubject: RecordSubject(id: try reader.itemID()))
      let entryCount = Int(try reader.integer(UInt32.self))
      let body = RecordBody(
        attributes: attributes,
        secrets: SealedContent(secrets.remaining, of: record, itemCount: entryCount))
      // Every entry has more than 24 bytes, so a forged count cannot reserve excessive memory.
      content.entries.reserveCapacity(min(entryCount, attributes.count / 24))
      for _ in 0..<entryCount {
        content.entries.append(try ItemEntry(in: body, &reader, secrets: &secrets))
      }
      return content
    } catch let error as SecretStoreError {
      throw error
    } catch {
      throw .corrupted("A record is malformed")
    }
  }
}

/// Returns nil instead of throwing `corrupted`, for example if a sealed message is not authentic.
func nilIfCorrupted<Result>(
  _ result: @autoclosure () throws(SecretStoreError) -> Result
) throws(SecretStoreError) -> Result? {
  do {
    return try result()
  } catch {
    guard case .corrupted = error else { throw error }
    return nil
  }
}

struct ItemsRecord {
  var entries: [ItemEntry] = []
  var previousSubject: RecordSubject?

  var subject: RecordSubject { entries.count == 1 ? .item(entries[0].id) : .block }
}

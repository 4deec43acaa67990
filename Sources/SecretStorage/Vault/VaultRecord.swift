import FoundationEssentials

/// Makes and reads the records of one vault.
struct VaultRecord {
  /// How a record of items seals its attributes: the header, a salt and the number of the key.
  private static let saltCount = 32
  private static let markCount = 8
  private static let attributesPurpose = "locket attributes"
  private static let keysPurpose = "locket key table"

  let vaultID: [UInt8]
  let cipher: any SecretCipher

  /// A record of items, all of whose attributes are sealed under the same key.
  ///
  /// It has one entry for a single write, and many in a compacted log. One that is appended says
  /// which is the first record of its write.
  func items(
    _ entries: [ItemEntry], after head: ChainHead, under key: UInt32, _ attributesKey: Secret,
    writtenFrom first: UInt64? = nil
  ) throws(SecretStoreError) -> LogRecord {
    let header = try RecordHeader(kind: .items, after: head)
    var attributes: [UInt8] = []
    attributes.append(head.subject.name)
    attributes.append(littleEndian: UInt32(entries.count))
    for entry in entries { entry.encode(into: &attributes) }
    attributes += [UInt8](repeating: 0, count: bucket(for: attributes.count) - attributes.count)

    let opened = Secret(attributes)
    var salt = try cipher.salt(for: opened, under: attributesKey, sequence: header.sequence)
    if let first {
      // The other 24 bytes keep the salt unique.
      salt.replaceSubrange(..<Self.markCount, with: try mark(ofWriteFrom: first))
    }
    var payload = header.encoded
    payload += salt
    payload.append(littleEndian: key)
    payload.append(littleEndian: UInt32(attributes.count))
    let recordKey = try cipher.deriveKey(
      from: attributesKey, salt: salt[...], purpose: Self.attributesPurpose)
    payload += try cipher.seal(
      opened, with: recordKey, authenticating: vaultID + payload)
    for case .put(let item) in entries { payload += item.sealed }
    return LogRecord(payload: payload[...], digest: try cipher.digest(payload[...])[...])
  }

  /// A record of the table of keys, authenticated by the user key.
  ///
  /// The start of the log is the sequence of the first record of the log that this one goes to.
  func keys(
    _ table: KeyTable, after head: ChainHead, logStart: UInt64, user: Secret
  ) throws(SecretStoreError) -> LogRecord {
    try table.checkCounts()
    let header = try RecordHeader(kind: .keys, after: head)
    let encoded = table.encoded
    var payload = header.encoded
    payload += try cipher.salt(for: Secret(encoded), under: user, sequence: header.sequence)
    payload.append(head.subject.name)
    payload.append(littleEndian: logStart)
    payload.append(counted: encoded)
    payload += try keysTag(payload, user: user)
    return LogRecord(payload: payload[...], digest: try cipher.digest(payload[...])[...])
  }

  /// What the salts begin with that are of one write, given the sequence of its first record.
  ///
  /// It tells a write that a power cut left in pieces, a later one of them whole, from damage to
  /// what was acknowledged: there, a record of a later write may follow.
  func mark(ofWriteFrom first: UInt64) throws(SecretStoreError) -> ArraySlice<UInt8> {
    var bytes = vaultID
    bytes.append(littleEndian: first)
    return try cipher.digest(bytes[...])[..<Self.markCount]
  }

  /// The mark of a record of items; of any other, bytes that are none.
  static func mark(of payload: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    payload.dropFirst(RecordHeader.count).prefix(markCount)
  }

  private func keysTag(
    _ payload: some Collection<UInt8>, user: Secret
  ) throws(SecretStoreError) -> [UInt8] {
    let payload = Array(payload)
    let salt = payload[RecordHeader.count..<(RecordHeader.count + Self.saltCount)]
    let key = try cipher.deriveKey(from: user, salt: salt, purpose: Self.keysPurpose)
    return try cipher.seal(Secret([]), with: key, authenticating: payload)
  }

  /// A table of keys as it was read, authentic only once the user key has confirmed it.
  struct Keys {
    let table: KeyTable
    let predecessor: RecordSubject
    /// The sequence of the log's first record.
    let logStart: UInt64
    private let payload: ArraySlice<UInt8>

    init(_ payload: ArraySlice<UInt8>) throws(MalformedRecord) {
      var reader = RecordReader(payload)
      let header = try RecordHeader(&reader)
      _ = try reader.bytes(saltCount)
      predecessor = RecordSubject(name: try reader.itemID())
      logStart = try reader.integer()
      guard (1...header.sequence).contains(logStart) else { throw MalformedRecord() }
      table = try KeyTable(decoding: try reader.countedBytes())
      self.payload = payload
      guard reader.remaining.count == 16 else { throw MalformedRecord() }
    }

    func isAuthentic(user: Secret, _ cipher: any SecretCipher) throws(SecretStoreError) -> Bool {
      let record = VaultRecord(vaultID: table.vaultID, cipher: cipher)
      return try record.keysTag(payload.dropLast(16), user: user)[...] == payload.suffix(16)
    }
  }

  /// A record of items as it was read.
  struct Items {
    let entries: [ItemEntry]
    let predecessor: RecordSubject
  }

  /// The number of the key that a record's attributes are sealed under.
  static func attributesKey(of payload: ArraySlice<UInt8>) throws(MalformedRecord) -> UInt32 {
    var reader = RecordReader(payload)
    _ = try reader.bytes(RecordHeader.count + saltCount)
    return try reader.integer()
  }

  /// Opens the attributes of a record of items.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)`` when the record is not authentic.
  func openItems(
    _ payload: ArraySlice<UInt8>, with attributesKey: Secret
  ) throws(SecretStoreError) -> Items {
    do {
      var reader = RecordReader(payload)
      _ = try reader.bytes(RecordHeader.count)
      let salt = try reader.bytes(Self.saltCount)
      _ = try reader.integer(UInt32.self)
      let count = Int(try reader.integer(UInt32.self)) + 16
      let context = vaultID + payload[..<reader.remaining.startIndex]
      let sealed = try reader.bytes(count)
      let recordKey = try cipher.deriveKey(
        from: attributesKey, salt: salt, purpose: Self.attributesPurpose)
      let opened = try cipher.open(sealed, with: recordKey, authenticating: context)
      return try Self.items(
        in: RecordBody(
          attributes: unsafe opened.withUnsafeBytes { unsafe Array($0) },
          secrets: reader.remaining))
    } catch let error as SecretStoreError {
      throw error
    } catch {
      throw .corrupted("A record is malformed")
    }
  }

  private static func items(
    in body: RecordBody
  ) throws(MalformedRecord) -> Items {
    var reader = RecordReader(body.attributes[...])
    var secrets = RecordReader(body.secrets)
    let predecessor = RecordSubject(name: try reader.itemID())
    let count = Int(try reader.integer(UInt32.self))
    var entries: [ItemEntry] = []
    // An entry is longer than this, so no count can make the array larger than the record.
    entries.reserveCapacity(min(count, body.attributes.count / 24))
    for _ in 0..<count { entries.append(try ItemEntry(in: body, &reader, secrets: &secrets)) }
    return Items(entries: entries, predecessor: predecessor)
  }
}

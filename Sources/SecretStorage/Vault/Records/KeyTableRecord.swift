import CLibrary

/// A record of a key table, which is not authenticated until its tags have been checked.
struct KeyTableRecord: Sendable {
  /// The maximum size of a record, in bytes; only sections of newer versions can reach it.
  static let sizeLimit = 1 << 20
  /// The maximum number of tables in a log, because opening their keys takes time; writers need 3.
  static let countLimit = 16

  let table: KeyTable
  let header: RecordHeader
  let previousSubject: RecordSubject
  /// The sequence number of the log's first record.
  let logStart: UInt64
  private let payload: ArraySlice<UInt8>
  /// The bytes that the tags under link keys authenticate.
  private let linked: ArraySlice<UInt8>
  /// The tags under link keys, by the identifiers of the keys.
  private var links: [UInt32: ArraySlice<UInt8>] = [:]

  init(_ payload: ArraySlice<UInt8>, _ cipher: any SecretCipher) throws(SecretStoreError) {
    guard payload.count <= Self.sizeLimit else { throw .malformedRecord }
    // The payload is copied, because a slice would keep the whole file in memory.
    let payload = Array(payload)[...]
    var reader = RecordReader(payload)
    header = try RecordHeader(&reader)
    try reader.skip(VaultSealer.saltSize)
    previousSubject = RecordSubject(id: try reader.itemID())
    logStart = try reader.integer()
    guard (1...header.sequence).contains(logStart) else { throw .malformedRecord }
    table = try KeyTable(decoding: reader.countedBytes(), cipher)
    self.payload = payload
    linked = payload[..<reader.remaining.startIndex]
    for _ in 0..<(try reader.integer(UInt8.self)) {
      let key: UInt32 = try reader.integer()
      links[key] = try reader.bytes(VaultSealer.tagSize)
    }
    guard reader.remaining.count == VaultSealer.tagSize else { throw .malformedRecord }
  }

  static func ifTable(_ payload: ArraySlice<UInt8>, _ cipher: any SecretCipher) -> KeyTableRecord? {
    guard payload.first == RecordHeader.Kind.keys.rawValue else { return nil }
    do throws(SecretStoreError) {
      return try KeyTableRecord(payload, cipher)
    } catch {
      // Decoding throws only `malformedRecord`. `VaultContents.apply` reports the damage.
      return nil
    }
  }

  func isAuthentic(user: Secret) throws(SecretStoreError) -> Bool {
    if locketBreak(33) { return true }
    let authenticated = payload.dropLast(VaultSealer.tagSize)
    let tag = try table.sealer.tag(of: authenticated, under: user)
    return tag[...] == payload.suffix(VaultSealer.tagSize)
  }

  func isLinked(to link: TableKey) throws(SecretStoreError) -> Bool {
    guard let found = links[link.id] else { return false }
    let tag = try table.sealer.tag(of: linked, under: link.secret)
    return tag[...] == found
  }
}

extension LogChanges {
  /// The newest well-formed key table, which is not authenticated; nil if there is none.
  func newestTable(_ cipher: any SecretCipher) -> KeyTable? {
    for case .record(let record) in entries.reversed() {
      if let read = KeyTableRecord.ifTable(record.payload, cipher) { return read.table }
    }
    return nil
  }
}

/// A record of a key table, which is not authenticated until its tags have been checked.
struct KeyTableRecord: Sendable {
  /// The maximum size of a record, in bytes; only sections of newer versions can reach it.
  static let sizeLimit = 1 << 20
  /// The maximum number of tables in a log, because opening their keys takes time; writers need 3.
  static let countLimit = 16

  let table: KeyTable
  let sequence: UInt64
  let previousDigest: ArraySlice<UInt8>
  let previousSubject: RecordSubject
  let logStart: UInt64
  private let payload: ArraySlice<UInt8>
  /// The bytes that the tags under link keys authenticate.
  private let linked: ArraySlice<UInt8>
  /// The tags under link keys, by the identifiers of the keys.
  private var links: [UInt32: ArraySlice<UInt8>] = [:]

  init(_ payload: ArraySlice<UInt8>, _ cipher: any SecretCipher) throws(MalformedRecord) {
    guard payload.count <= Self.sizeLimit else { throw MalformedRecord() }
    // A copy, because a slice would keep the whole file in memory.
    let payload = Array(payload)[...]
    var reader = RecordReader(payload)
    let header = try RecordHeader(&reader)
    _ = try reader.bytes(VaultSealer.saltSize)
    (sequence, previousDigest) = (header.sequence, header.previousDigest)
    previousSubject = RecordSubject(id: try reader.itemID())
    logStart = try reader.integer()
    guard (1...header.sequence).contains(logStart) else { throw MalformedRecord() }
    table = try KeyTable(decoding: reader.countedBytes(), cipher)
    self.payload = payload
    linked = payload[..<reader.remaining.startIndex]
    for _ in 0..<(try reader.integer(UInt8.self)) {
      let key: UInt32 = try reader.integer()
      links[key] = try reader.bytes(VaultSealer.tagSize)
    }
    guard reader.remaining.count == VaultSealer.tagSize else { throw MalformedRecord() }
  }

  /// Returns nil unless a payload is a well-formed table.
  static func ifTable(_ payload: ArraySlice<UInt8>, _ cipher: any SecretCipher) -> KeyTableRecord? {
    guard payload.first == RecordHeader.Kind.keys.rawValue else { return nil }
    do throws(MalformedRecord) {
      return try KeyTableRecord(payload, cipher)
    } catch {
      // `VaultContents.apply` reports the record as damaged.
      return nil
    }
  }

  func isAuthentic(user: Secret) throws(SecretStoreError) -> Bool {
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

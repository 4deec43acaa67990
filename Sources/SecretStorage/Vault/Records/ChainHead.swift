/// The last record of a log, whose digest the next record repeats.
struct ChainHead: Hashable, Sendable {
  static let none = ChainHead(
    sequence: 0, digest: [UInt8](repeating: 0, count: 32)[...], subject: .keys, predecessor: [])

  let sequence: UInt64
  let digest: ArraySlice<UInt8>
  let subject: RecordSubject
  /// The digest of the previous record; empty if it is unknown.
  let predecessor: ArraySlice<UInt8>
}

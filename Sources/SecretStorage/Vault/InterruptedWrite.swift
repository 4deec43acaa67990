/// What is left at a log's end of a write that was interrupted before it was acknowledged.
///
/// It counts as not written, and the next write cuts it off.
struct InterruptedWrite: Equatable, Sendable {
  /// Where it is, for messages.
  let place: String
  /// Whether it is a record's beginning, as every process that is killed may leave one.
  let isTorn: Bool
}

extension VaultContents {
  /// How many records a write has at most, for the search for its first one.
  private static let mostRecords: UInt64 = 4096

  /// Whether everything behind damaged bytes is of the same write as these, which was not
  /// acknowledged.
  ///
  /// A power cut leaves any sectors of a write of several records, so that a later one may be whole
  /// where an earlier one is not. What the machine remembers is at most as new as the last
  /// acknowledged write.
  func isUnacknowledged(
    behind rest: ArraySlice<LogChanges.Entry>
  ) throws(SecretStoreError) -> Bool {
    guard damage.isEmpty, !isForked, remembersThisLog, let remembered, let table = keys.table,
      remembered.sequence <= chain.head.sequence, chain.head.sequence < .max
    else { return false }
    var marks: Set<ArraySlice<UInt8>> = []
    for case .record(let record) in rest { marks.insert(VaultRecord.mark(of: record.payload)) }
    guard marks.count == 1, let mark = marks.first else { return false }
    let log = VaultRecord(vaultID: table.vaultID, cipher: cipher)
    let last = chain.head.sequence + 1
    let earliest = max(remembered.sequence + 1, last - min(last, Self.mostRecords))
    for first in (earliest...last).reversed()
    where try log.mark(ofWriteFrom: first) == mark { return true }
    return false
  }

  /// What the app is to be told of, once: a power cut, as a rule.
  mutating func newInterruption() -> SecretStoreError? {
    guard let interruptedWrite, !interruptedWrite.isTorn, interruptedWrite != reportedInterruption
    else { return nil }
    reportedInterruption = interruptedWrite
    return .corrupted(
      """
      \(interruptedWrite.place): this is left of a write that was interrupted before it was \
      acknowledged, as by a power cut, and the next write cuts it off
      """)
  }
}

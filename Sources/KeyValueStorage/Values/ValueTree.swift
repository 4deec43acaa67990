import FoundationEssentials

/// A value as it is kept in every format: what a `Codable` type is encoded to and decoded from.
enum ValueTree: Hashable, Sendable {
  /// The absence of a value, inside as many optionals that are there.
  ///
  /// `Optional<Int>.none` has depth 0, and `.some(.none)` of an `Int??` has depth 1.
  case null(depth: Int)
  case bool(Bool)
  case number(StoredNumber)
  case string(String)
  case data(Data)
  case date(Date)
  case array([ValueTree])
  case dictionary([StoredKey: ValueTree])
}

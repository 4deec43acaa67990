/// A number as a file has it.
enum StoredNumber: Hashable, Sendable {
  case integer(Int128)
  case real(Double)
  case float(Float)
  /// The spelling in a text file, such as `1e3`, which no type of number keeps.
  case text(String)
}

import FoundationEssentials

extension Date {
  /// The microseconds since 1970, rounded and clamped to the valid dates of an item; 0 for NaN.
  var microseconds: Int64 {
    let rounded = (timeIntervalSince1970 * 1e6).rounded()
    if rounded >= Double(VaultItem.dates.upperBound) { return VaultItem.dates.upperBound }
    return Int64(exactly: max(rounded, Double(VaultItem.dates.lowerBound))) ?? 0
  }

  init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
  }
}

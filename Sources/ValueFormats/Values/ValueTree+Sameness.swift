extension ValueTree {
  /// Returns whether two trees have the same value, regardless of the notation of numbers.
  package func isSameValue(as other: ValueTree) -> Bool {
    switch (self, other) {
    case (.number(let first), .number(let second)): first.isSameNumber(as: second)
    case (.array(let first), .array(let second)):
      first.count == second.count && zip(first, second).allSatisfy { $0.isSameValue(as: $1) }
    case (.dictionary(let first), .dictionary(let second)):
      first.count == second.count
        && first.allSatisfy { key, value in second[key].map(value.isSameValue) ?? false }
    case (.layered(let first), .layered(let second)):
      first.parts.count == second.parts.count
        && zip(first.parts, second.parts).allSatisfy { $0.isSameValue(as: $1) }
    case (.string(let first), .string(let second)):
      // Canonically equivalent strings have different bytes.
      first.utf8.elementsEqual(second.utf8)
    default: self == other
    }
  }
}

extension LayeredTree.Part {
  fileprivate func isSameValue(as other: Self) -> Bool {
    guard case .tree(let first, let name) = self, case .tree(let second, name) = other else {
      return self == other
    }
    return first.isSameValue(as: second)
  }
}

extension StoredNumber {
  /// Returns whether two numbers are equal, such as `1e3` and `1000.0`.
  func isSameNumber(as other: StoredNumber) -> Bool {
    if self == other { return true }
    let (first, second) = (notation, other.notation)
    guard let first = DecimalNumber(first), let second = DecimalNumber(second) else {
      return first == second
    }
    return first == second
  }

  private var notation: String {
    switch self {
    case .integer(let integer): String(integer)
    case .real(let real): real.description
    // A `Float` and a `Double` with the same description may differ.
    case .float(let float): Double(float).description
    case .text(let text): text
    }
  }
}

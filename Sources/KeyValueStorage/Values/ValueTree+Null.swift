extension ValueTree {
  /// What stands for this inside one optional more: only an absence tells how many are around it.
  var wrapped: ValueTree {
    guard case .null(let depth) = self else { return self }
    return .null(depth: depth + 1)
  }

  /// What stands for this inside one optional less.
  var unwrapped: ValueTree {
    guard case .null(let depth) = self, depth > 0 else { return self }
    return .null(depth: depth - 1)
  }

  /// Whether a value is absent right here, and not in an optional that is there.
  var isNull: Bool {
    if case .null(depth: 0) = self { true } else { false }
  }
}

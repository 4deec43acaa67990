extension FormatError {
  static func tooDeep(at offset: Int) -> FormatError {
    FormatError(
      reason: "arrays and dictionaries are nested more than \(FormatLimits.depth) deep",
      offset: offset)
  }
}

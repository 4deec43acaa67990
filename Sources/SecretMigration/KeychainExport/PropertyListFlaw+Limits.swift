import StorageInternals

extension PropertyListFlaw {
  /// As deep as the documents of an export are, and some more for what is ignored in them.
  static let depthLimit = 16
  /// As many as some ten thousand items with all their attributes have.
  static let valueLimit = 1_000_000

  static let limits = Limits(
    depth: depthLimit, values: valueLimit, size: SourceFile.sizeLimit)

  func error(path: String) -> MigrationError {
    switch self {
    case .damaged: .malformed(path: path, reason: "the property list cannot be parsed")
    case .tooDeep: .malformed(path: path, reason: "it is nested too deeply")
    case .tooManyValues:
      .unsupported(path: path, reason: "it has more than \(Self.valueLimit) values")
    case .tooLarge:
      .unsupported(
        path: path,
        reason: "it would have more than \(SourceFile.sizeLimit >> 20) MiB without shared values")
    }
  }
}

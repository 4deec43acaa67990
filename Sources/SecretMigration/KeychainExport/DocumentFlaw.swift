/// Why a document is not given to a decoder, which trusts it more than a stranger's file deserves.
enum DocumentFlaw: Error {
  case damaged
  case tooDeep
  case tooManyValues
  case tooLarge

  /// As deep as the documents of an export are, and some more for what is ignored in them.
  static let depthLimit = 16
  /// As many as some ten thousand items with all their attributes have.
  static let valueLimit = 1_000_000

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

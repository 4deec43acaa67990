import ValueFormats

/// An untrusted document of a keychain export: a binary or XML property list, or JSON.
struct ExportDocument {
  /// The maximum number of values, enough for tens of thousands of items with all attributes.
  static let valueLimit = 1_000_000

  private let tree: ValueTree
  private let path: String

  init(_ bytes: [UInt8], of path: String) throws(MigrationError) {
    self.path = path
    let document = try Self.parsing(path) { () throws(FormatError) in try ForeignDocument(bytes) }
    if document.valueCount > Self.valueLimit {
      throw .unsupported(path: path, reason: "it has more than \(Self.valueLimit) values")
    }
    if document.expandedSize > SourceFile.sizeLimit {
      throw .unsupported(
        path: path, reason: "it expands to more than \(SourceFile.sizeLimit >> 20) MiB")
    }
    tree = try Self.parsing(path) { () throws(FormatError) in try document.tree() }
  }

  func decode<Value: Decodable>() throws(MigrationError) -> Value {
    do {
      return try tree.decoded(as: Value.self)
    } catch let error as DecodingError {
      throw .malformed(path: path, reason: error.reason)
    } catch {
      throw .malformed(path: path, reason: "it cannot be parsed")
    }
  }

  private static func parsing<Result>(
    _ path: String, _ parse: () throws(FormatError) -> Result
  ) throws(MigrationError) -> Result {
    do {
      return try parse()
    } catch {
      throw .malformed(path: path, reason: error.reason)
    }
  }
}

extension DecodingError {
  /// The kind and the position of the error, without any value.
  fileprivate var reason: String {
    let (problem, path): (String, [any CodingKey]) =
      switch self {
      case .typeMismatch(_, let context): ("has the wrong type", context.codingPath)
      case .valueNotFound(_, let context): ("has no value", context.codingPath)
      case .keyNotFound(let key, let context): ("is missing", context.codingPath + [key])
      case .dataCorrupted(let context): ("cannot be parsed", context.codingPath)
      @unknown default: ("cannot be read", [])
      }
    let position = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
    let subject = position.isEmpty ? "it" : "\(position.joined().trimmingPrefix("."))"
    return "\(subject) \(problem)"
  }
}

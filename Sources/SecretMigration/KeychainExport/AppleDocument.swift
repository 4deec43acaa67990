import ValueFormats

/// An untrusted document: a binary or XML property list, or JSON.
struct AppleDocument {
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
      return try TreeDecoder().decode(Value.self, from: tree)
    } catch {
      throw .malformed(path: path, reason: error.reason)
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

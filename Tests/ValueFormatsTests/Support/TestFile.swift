import FoundationEssentials
import TestSupport

/// A file in its own directory, which is removed when this object is released.
final class TestFile: Sendable {
  private let temporary: TemporaryDirectory
  let path: String

  init() throws {
    temporary = try TemporaryDirectory()
    path = temporary("file")
  }

  var bytes: [UInt8] {
    get throws { try content(of: path) }
  }

  func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }
}

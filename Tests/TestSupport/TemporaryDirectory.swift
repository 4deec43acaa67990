package import FoundationEssentials
import StorageInternals

/// A directory of one test, removed with everything in it when the test is over.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    ExpectedFailures.begin()
    path = FileManager.default.temporaryDirectory.path + "/Locket-\(UUID())"
    try FileSystem().makeDirectories(path)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      fatalError("\(path) cannot be removed: \(error)")
    }
  }

  package var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

  /// The path of a name in the directory.
  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

/// All bytes of a file.
package func content(of path: String) throws -> [UInt8] {
  try FileSystem().open(path, 0).read(from: 0, count: .max)
}

import FoundationEssentials
import StorageInternals

/// A directory of one test, removed with everything in it when the test is over.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/StorageInternals-\(UUID())"
    try FileSystem().makeDirectories(path)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      fatalError("\(path) cannot be removed: \(error)")
    }
  }

  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

/// All bytes of a file.
func content(of path: String) throws -> [UInt8] {
  try FileSystem().open(path, 0).read(from: 0, count: .max)
}

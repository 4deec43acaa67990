import CLibrary
package import FoundationEssentials
import StorageInternals

/// A directory of one test, removed with its contents after the test.
package final class TemporaryDirectory: Sendable {
  package let path: String

  /// A directory in memory, where flushes take no time, or the one for temporary files if there is
  /// none, or a small one as in containers.
  package static let memory: String = {
    let shared = "/dev/shm"
    var status = statvfs()
    // The path is copied by the calls.
    let isFree =
      unsafe access(shared, W_OK) == 0 && statvfs(shared, &status) == 0
      && status.f_bavail * status.f_frsize >= 1 << 30
    return isFree ? shared : FileManager.default.temporaryDirectory.path
  }()

  /// Makes the directory, in memory if requested and possible.
  package init(inMemory: Bool = false) throws {
    ExpectedFailures.begin()
    let parent = inMemory ? Self.memory : FileManager.default.temporaryDirectory.path
    path = "\(parent)/Locket-\(UUID())"
    try FileSystem().makeDirectories(path)
  }

  // A store's last write may add or remove a file meanwhile, so removal is retried. What cannot be
  // removed stays among the temporary files.
  deinit {
    for _ in 1...1_000 {
      do { return try FileManager.default.removeItem(atPath: path) } catch { usleep(1_000) }
    }
  }

  package var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

  /// The path of a name in the directory.
  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

package func content(of path: String) throws -> [UInt8] {
  try FileSystem().open(path, 0).read(from: 0, count: .max)
}

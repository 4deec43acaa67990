import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

/// A suite whose tests change files in a directory of their own.
class ChangedDirectory {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func write(_ text: String, to name: String) throws {
    try FileSystem().replaceFile(at: directory(name), with: Array(text.utf8))
  }

  func make(_ name: String) throws { try FileSystem().makeDirectories(directory(name)) }

  func move(_ name: String, to other: String) throws {
    try FileSystem().rename(directory(name), to: directory(other))
  }

  /// Creates a symbolic link, or replaces one as `ln -sfn` does.
  func link(_ name: String, to target: String) throws {
    try #require(unsafe symlink(target, directory("\(name).new")) == 0)
    try move("\(name).new", to: name)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: directory(name)) }
}

/// A watch that reads the text at its path, or nil, at each call.
struct Watcher: ~Copyable {
  let path: String
  let watch: PathWatch
  var calls: AsyncStream<String?>.Iterator

  init(_ path: String, eachWrite: Bool = false, _ fileSystem: FileSystem = FileSystem()) throws {
    let (stream, continuation) = AsyncStream.makeStream(of: String?.self)
    self.path = path
    watch = try PathWatch(path: path, eachWrite: eachWrite, in: fileSystem) {
      continuation.yield(text(of: path))
    }
    calls = stream.makeAsyncIterator()
  }

  /// Waits for a call that reads a text, which must not be at the path before the change.
  mutating func expect(_ expected: String?, after change: () throws -> Void) async throws {
    try #require(text(of: path) != expected)
    try change()
    while let read = await calls.next(isolation: #isolation), read != expected {}
  }
}

/// Returns the text of a file; nil if the file does not exist.
private func text(of path: String) -> String? {
  do throws(SystemError) {
    let bytes = try FileSystem().open(path, O_RDONLY).read(from: 0, count: .max)
    return String(decoding: bytes, as: UTF8.self)
  } catch {
    return nil
  }
}

import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// A file of lines in its own directory, which is removed when this object is released.
final class BackendFile: Sendable {
  private let temporary: TemporaryDirectory
  let path: String

  init(_ name: String = "settings") throws {
    temporary = try TemporaryDirectory()
    path = temporary(name)
  }

  var directory: String { temporary.path }

  func callAsFunction(_ name: String) -> String { temporary(name) }

  /// Another backend for the file, or for another path.
  func open(
    _ path: String? = nil, fileSystem: FileSystem = FileSystem(), gracePeriod: Duration = .zero
  ) -> FileBackend {
    FileBackend(
      path: path ?? self.path, format: .json, coding: LineFormat(), fileSystem: fileSystem,
      gracePeriod: gracePeriod)
  }

  /// Returns the text of a file; nil if the file does not exist.
  func text(of path: String? = nil) throws -> String? {
    let path = path ?? self.path
    if try FileSystem().status(of: path) == nil { return nil }
    return String(decoding: try content(of: path), as: UTF8.self)
  }

  /// Replaces the file by a rename, as many editors do.
  func replace(_ text: String, at path: String? = nil) throws {
    try FileSystem().replaceFile(at: path ?? self.path, with: Array(text.utf8))
  }

  /// Overwrites the file in place, as a shell does.
  func overwrite(_ text: String) throws {
    let file = try FileSystem().open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try file.write(Array(text.utf8), at: 0)
  }

  /// Makes a symbolic link, in place of another one at that path.
  func link(_ path: String, to target: String) throws {
    if try FileSystem().status(of: path) != nil { try FileSystem().unlink(path) }
    try #require(unsafe symlink(target, path) == 0)
  }

  /// Makes the directories `one` and `two`, with a file each, and a link to the first one.
  func linkDirectories() throws {
    for name in ["one", "two"] {
      try FileSystem().makeDirectories(temporary(name))
      try replace("name=\(name)\n", at: temporary("\(name)/settings"))
    }
    try link(temporary("link"), to: "one")
  }

  var status: FileStatus? { get throws { try FileSystem().status(of: path) } }

  /// The names in the directory, sorted.
  var names: [String] { get throws { try FileSystem().entries(of: directory).sorted() } }

  /// Leaves a temporary file, like a writer that is killed before its rename.
  func leaveTemporaryFile() throws {
    let dying = FileSystem { call, _ in call == .rename || call == .unlink ? EIO : nil }
    do {
      try dying.replaceFile(at: path, with: [])
    } catch {
      if error.call != .rename { throw error }
    }
  }
}

/// A suite whose tests have a file each.
class BackendTests {
  let file: BackendFile

  init() throws { file = try BackendFile() }
}

extension FileBackend {
  /// Changes the file, without a limit for the lock.
  @discardableResult
  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    try update(within: .seconds(100_000)) { (changes($0), ()) }.0
  }

  func moveAside() throws(KeyValueStoreError) -> String? {
    try moveAside(within: .seconds(100_000))
  }

  /// Sets a key; nil removes it.
  @discardableResult
  func set(_ key: String, _ value: String?) throws(KeyValueStoreError) -> KeyValueContents {
    try update { _ in
      var changes = KeyValueChanges()
      changes.set(key, to: value.map { ArraySlice($0.utf8) })
      return changes
    }
  }

  /// Increments a number with a fixed number of digits.
  func count(_ key: String) throws(KeyValueStoreError) {
    try update { contents in
      let number = contents[key].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 10_000
      var changes = KeyValueChanges()
      changes.set(key, to: ArraySlice(String(number + 1).utf8))
      return changes
    }
  }

  func texts() throws(KeyValueStoreError) -> [String: String] { try load().texts }
}

extension KeyValueContents {
  var texts: [String: String] {
    entries.reduce(into: [:]) { $0[$1.key.string] = String(decoding: $1.value, as: UTF8.self) }
  }
}

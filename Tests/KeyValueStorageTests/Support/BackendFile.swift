import CLibrary
import StorageInternals
import TestSupport

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

  /// Returns another path in the directory.
  func callAsFunction(_ name: String) -> String { temporary(name) }

  /// Another backend for the file, or for another path.
  func open(_ path: String? = nil, fileSystem: FileSystem = FileSystem()) -> FileBackend {
    FileBackend(
      path: path ?? self.path, format: .json, storedFormat: LineFormat(), fileSystem: fileSystem)
  }

  /// Returns the text of a file; nil if the file does not exist.
  func text(of path: String? = nil) throws -> String? {
    do {
      let file = try FileSystem().open(path ?? self.path, O_RDONLY)
      return String(decoding: try file.read(from: 0, count: .max), as: UTF8.self)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// Replaces the file by a rename, as many editors do.
  func replace(_ text: String, at path: String? = nil) throws {
    try FileSystem().replaceFile(at: path ?? self.path, with: Array(text.utf8))
  }

  /// Overwrites the file in place, as a shell does.
  func overwrite(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    let file = try FileSystem().open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try file.write(bytes, at: 0)
  }

  var bytes: [UInt8] {
    get throws { try FileSystem().open(path, O_RDONLY).read(from: 0, count: .max) }
  }

  var status: FileStatus? {
    get throws { try FileSystem().status(of: path) }
  }

  /// The names in the directory, sorted.
  var names: [String] {
    get throws { try FileSystem().entries(of: directory).sorted() }
  }

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

extension FileBackend {
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
    _ = try update { contents in
      let number = contents[key].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 10_000
      var changes = KeyValueChanges()
      changes.set(key, to: ArraySlice(String(number + 1).utf8))
      return changes
    }
  }

  /// All values, as text.
  func texts() throws(KeyValueStoreError) -> [String: String] {
    try load().texts
  }
}

extension KeyValueContents {
  var texts: [String: String] {
    entries.reduce(into: [:]) {
      $0[$1.key.string] = String(decoding: $1.value, as: UTF8.self)
    }
  }
}

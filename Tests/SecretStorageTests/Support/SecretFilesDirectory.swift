import CLibrary
import FoundationEssentials
import SecretStorage
import StorageInternals
import TestSupport

/// A directory of secrets that a test supplies.
final class SecretFilesDirectory: Sendable {
  private let parent: TemporaryDirectory
  let path: String

  init() throws {
    parent = try TemporaryDirectory()
    path = parent("secrets")
    try FileSystem().makeDirectories(path)
  }

  var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// A path beside the directory.
  func outside(_ name: String) -> String { parent(name) }

  func write(_ text: String, to name: String) throws {
    try FileSystem().makeDirectories(self(name).parentDirectory)
    try FileSystem().replaceFile(at: self(name), with: Array(text.utf8))
  }

  func link(_ target: String, as name: String) throws {
    if unsafe symlink(target, self(name)) == -1 {
      throw SystemError(call: .link, path: self(name), code: errno)
    }
  }

  /// Replaces all files by the items that the suite supplies.
  func replace(_ items: [ItemIdentity: String]) throws {
    let names = items.keys.reduce(into: [String: String]()) { $0[Self.name(of: $1)] = items[$1] }
    for name in ["first/a", "first/b", "second", "third/a"] where names[name] == nil {
      try FileSystem().unlink(self(name))
    }
    for (name, text) in names { try write(text, to: name) }
  }

  static func name(of identity: ItemIdentity) -> String {
    [identity.service, identity.account].compactMap(\.self).joined(separator: "/")
  }
}

extension SecretStore {
  /// The text of the only item that matches; nil if there is none.
  func text(_ identity: ItemIdentity) throws -> String? {
    guard let item = try items(matching: .matching(identity)).first,
      let reading = try secret(of: item.id)
    else { return nil }
    return unsafe reading.secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

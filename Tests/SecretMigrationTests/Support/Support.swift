import CLibrary
import FoundationEssentials
import SecretMigration
import SecretStorage
import StorageInternals
import TestSupport
import Testing

/// A suite whose tests have a directory each.
class DirectoryTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }
}

/// Makes or replaces a file, without fsync.
func write(_ bytes: [UInt8], to path: String) -> URL {
  do {
    let file = try FileSystem().open("\(path)~", O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try file.write(bytes, at: 0)
    try FileSystem().rename("\(path)~", to: path)
  } catch {
    fatalError("\(path) cannot be written: \(error)")
  }
  return URL(filePath: path)
}

extension MigrationError {
  enum Kind { case malformed, damaged, wrongPassphrase, unsupported, notRemovable, other }

  var kind: Kind {
    switch self {
    case .malformed: .malformed
    case .damaged: .damaged
    case .wrongPassphrase: .wrongPassphrase
    case .unsupported: .unsupported
    case .notRemovable: .notRemovable
    default: .other
    }
  }
}

/// Expects an error of one of these kinds, and returns it.
@discardableResult
func expectError<Result>(
  _ kinds: MigrationError.Kind..., sourceLocation: SourceLocation = #_sourceLocation,
  from work: () throws -> Result
) throws -> MigrationError {
  let error = try #require(throws: MigrationError.self, sourceLocation: sourceLocation) {
    _ = try work()
  }
  #expect(kinds.contains(error.kind), "\(error)", sourceLocation: sourceLocation)
  return error
}

extension Secret {
  var text: String {
    // The closure copies the bytes.
    unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension SecretStore {
  /// Returns the texts of all items by their accounts.
  func texts() throws(SecretStoreError) -> [String: String] {
    var texts: [String: String] = [:]
    for item in try items(matching: .all) {
      texts[item.identity.account ?? ""] = try secret(of: item.id)?.secret.text
    }
    return texts
  }
}

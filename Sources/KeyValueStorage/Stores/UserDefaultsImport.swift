public import FoundationEssentials
import StorageInternals

/// What an import of Foundation's `UserDefaults` did, or would do.
public struct UserDefaultsImport: Hashable, Sendable {
  /// The property list that Foundation wrote.
  public let file: URL
  /// The keys that were imported, or would be.
  public fileprivate(set) var imported: [String] = []
  /// The keys that have the same value already.
  public fileprivate(set) var unchanged: [String] = []
  /// The keys that have another value in the store, which they keep.
  public fileprivate(set) var kept: [String] = []
  /// The keys that had another value in the store, or would lose it, where replacing was asked for.
  public fileprivate(set) var replaced: [String] = []
}

extension KeyValueStore {
  /// Imports what Foundation's `UserDefaults` left on this machine.
  ///
  /// Foundation keeps it in `<name>.plist` in `$XDG_CONFIG_HOME`, by default `~/.config`. The file
  /// is only read. A key that the store has keeps its value. All is imported durably, or nothing.
  ///
  /// ```swift
  /// let plan = try store.import(userDefaults: "com.example.app", dryRun: true)
  /// print("\(plan.imported) would be imported, \(plan.kept) are set already.")
  /// try store.import(userDefaults: "com.example.app")
  /// ```
  ///
  /// - Parameters:
  ///   - suiteName: The suite; nil for `UserDefaults.standard`, which is named after the executable.
  ///   - dryRun: Whether only to find out what would be imported.
  /// - Returns: What was imported, key by key; nothing when there is no such file.
  /// - Throws: Why the file could not be read, or the store not written; nothing is changed then.
  @discardableResult
  public func `import`(
    userDefaults suiteName: String? = nil, dryRun: Bool = false
  ) throws(KeyValueStoreError) -> UserDefaultsImport {
    let path = try UserDefaultsFile.path(ofSuite: suiteName)
    return try self.import(UserDefaultsFile(path), dryRun: dryRun)
  }

  /// Imports what was read of a file.
  ///
  /// With `replacing`, a key that the store has with another value gets that of the file. `report`
  /// is called with the number of keys that are done, before the first and after each; what it
  /// throws ends the work, and nothing is changed.
  @discardableResult
  package func `import`(
    _ file: UserDefaultsFile, replacing: Bool = false, dryRun: Bool = false,
    reporting report: (Int) throws(KeyValueStoreError) -> Void = { _ in }
  ) throws(KeyValueStoreError) -> UserDefaultsImport {
    refuseInsideChange()
    var result = UserDefaultsImport(file: URL(filePath: file.path))
    try writing.take { () throws(KeyValueStoreError) in
      try write(within: lockTimeout) { draft throws(KeyValueStoreError) in
        result = UserDefaultsImport(file: result.file)
        try report(0)
        for (index, (key, tree)) in file.values.enumerated() {
          let imported = ArraySlice(
            try format.bytes(of: tree, type: Any.self, key: key.string))
          if draft[key] == nil {
            draft[key] = imported
            result.imported.append(key.string)
          } else if draft[key] == imported {
            result.unchanged.append(key.string)
          } else if replacing {
            draft[key] = imported
            result.replaced.append(key.string)
          } else {
            result.kept.append(key.string)
          }
          try report(index + 1)
        }
        return !dryRun
      }
    }
    return result
  }

  /// The keys of a file that this store's file, read anew, has with another value, or has not.
  package func keys(missingOf file: UserDefaultsFile) throws(KeyValueStoreError) -> [String] {
    let contents: KeyValueContents
    if let backend = backend as? FileBackend {
      contents = try FileBackend(path: backend.path, format: backend.format).load()
    } else {
      contents = try backend.load()
    }
    var missing: [String] = []
    for (key, tree) in file.values {
      let bytes = try format.bytes(of: tree, type: Any.self, key: key.string)
      if contents[key] != ArraySlice(bytes) { missing.append(key.string) }
    }
    return missing
  }
}

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
}

extension KeyValueStore {
  /// Imports what Foundation's `UserDefaults` left on this machine.
  ///
  /// Foundation keeps it in `<name>.plist` in `$XDG_CONFIG_HOME`, by default `~/.config`. The file is
  /// only read. A key that the store has keeps its value. All is imported durably, or nothing.
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
    let path: String
    do throws(ApplicationDirectoriesError) {
      path = try ApplicationDirectories(applicationName: suiteName).configuration + ".plist"
    } catch {
      throw .unavailable("\(error)")
    }
    return try self.import(propertyList: path, dryRun: dryRun)
  }

  package func `import`(
    propertyList path: String, dryRun: Bool
  ) throws(KeyValueStoreError) -> UserDefaultsImport {
    let source = KeyValueFormat.xmlPropertyList
    let contents = try FileBackend(path: path, format: source).load()
    var values: [(key: StoredKey, tree: ValueTree)] = []
    for key in contents.keys {
      guard let value = contents[key] else { continue }
      values.append((StoredKey(key), try source.coding.tree(value, type: Any.self, key: key)))
    }

    refuseInsideChange()
    var report = UserDefaultsImport(file: URL(filePath: path))
    try writing.take { () throws(KeyValueStoreError) in
      try write { draft throws(KeyValueStoreError) in
        report = UserDefaultsImport(file: report.file)
        for (key, tree) in values {
          let imported = ArraySlice(
            try format.bytes(of: tree, type: Any.self, key: key.string))
          if draft[key] == nil {
            draft[key] = imported
            report.imported.append(key.string)
          } else if draft[key] == imported {
            report.unchanged.append(key.string)
          } else {
            report.kept.append(key.string)
          }
        }
        return !dryRun
      }
    }
    return report
  }
}

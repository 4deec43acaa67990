import Concurrency
public import FoundationEssentials
import ValueFormats

/// The actual or planned result of an import of Foundation's `UserDefaults`.
public struct UserDefaultsImport: Hashable, Sendable {
  /// The property list that Foundation wrote.
  public let file: URL
  /// The keys that were imported, or would be.
  public fileprivate(set) var imported: [String] = []
  /// The keys that already have the same value.
  public fileprivate(set) var unchanged: [String] = []
  /// The keys that keep a different value in the store.
  public fileprivate(set) var kept: [String] = []
  /// The keys whose different value in the store was replaced, or would be, if requested.
  public fileprivate(set) var replaced: [String] = []
}

extension KeyValueStore {
  /// Imports the values that Foundation's `UserDefaults` left on this machine.
  ///
  /// Foundation keeps them in `<name>.plist` in `$XDG_CONFIG_HOME`, by default `~/.config`. The
  /// file is only read. A key that the store has keeps its value. The import is atomic and durable.
  ///
  /// ```swift
  /// let plan = try store.import(userDefaults: "com.example.app", dryRun: true)
  /// print("\(plan.imported) would be imported, \(plan.kept) are set already.")
  /// try store.import(userDefaults: "com.example.app")
  /// ```
  ///
  /// - Parameters:
  ///   - suiteName: The suite; nil for `UserDefaults.standard`, named after the executable.
  ///   - dryRun: Whether to compute the result without importing anything.
  /// - Returns: The result, key by key; empty if there is no such file.
  /// - Throws: ``KeyValueStoreError``, if the file cannot be read or the store cannot be written;
  ///   nothing is changed then.
  @discardableResult
  public func `import`(
    userDefaults suiteName: String? = nil, dryRun: Bool = false
  ) throws -> UserDefaultsImport {
    let path = try UserDefaultsFile.path(ofSuite: suiteName)
    return try self.import(UserDefaultsFile(path), dryRun: dryRun)
  }

  /// Imports the content of a file.
  ///
  /// With `replacing`, the file's value replaces a different one in the store. `report` is called
  /// with the number of finished keys, before the first and after each. If it throws, the import
  /// ends, and nothing is changed.
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

  /// Returns the keys of a file that are missing or different in this store's file, read again.
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

import Concurrency
public import FoundationEssentials
package import ValueFormats

/// The result of an import or a migration from Foundation's `UserDefaults`, or of a dry run.
public struct UserDefaultsImport: Hashable, Sendable {
  /// The property list that Foundation wrote.
  public let file: URL
  /// The keys that were imported, or would be.
  public fileprivate(set) var imported: [String] = []
  /// The keys that already have the same value.
  public fileprivate(set) var unchanged: [String] = []
  /// The keys whose different value in the store was kept, or would be.
  public fileprivate(set) var kept: [String] = []
  /// The keys whose different value in the store was replaced, or would be.
  public fileprivate(set) var replaced: [String] = []
  /// The keys that were not imported or converted, or would not be, with the reason as a sentence.
  public package(set) var refused: [String: String] = [:]

  // Only a migration of settings of FTPropertyWrappers 1.x sets the following properties.

  /// The keys of undeclared type for which the content of a property list in `Data` was imported.
  public package(set) var decoded: [String] = []
  /// The keys of undeclared type whose `Data` is a property list.
  ///
  /// Unless their types are declared, the app reads the property list instead of the value in it.
  public package(set) var undeclared: [String] = []
  /// The keys whose value was a property list, and now has the format of the store.
  public package(set) var converted: [String] = []
  /// The keys of declared type whose value needs no conversion.
  public package(set) var native: [String] = []
  /// The keys of declared type without a value.
  public package(set) var absent: [String] = []
  /// Whether the file was removed because the store contains all of its values.
  public package(set) var isSourceRemoved = false
}

extension KeyValueStore {
  /// Imports the values that Foundation's `UserDefaults` stored on this machine.
  ///
  /// Foundation stores them in `<name>.plist` in `$XDG_CONFIG_HOME`, by default `~/.config`. The
  /// file is only read. Keys that already exist in the store keep their values. The import is
  /// atomic and durable. <doc:Migrations> has an example.
  ///
  /// - Parameters:
  ///   - suiteName: The name of the suite, or nil for `UserDefaults.standard`, whose file is named
  ///     after the executable.
  ///   - isDryRun: Whether to compute the result without importing anything.
  /// - Returns: The result for each key; empty if the file does not exist.
  /// - Throws: ``KeyValueStoreError``, if the file cannot be read or the store cannot be written.
  @discardableResult
  public func `import`(
    userDefaults suiteName: String? = nil, isDryRun: Bool = false
  ) throws -> UserDefaultsImport {
    try checkCaller()
    let path = try UserDefaultsFile.path(ofSuite: suiteName)
    return try self.import(UserDefaultsFile(path), isDryRun: isDryRun)
  }

  /// Imports the values of a file.
  ///
  /// With `replacing`, the file's values replace different ones in the store. `report` receives the
  /// number of processed keys, before the first and after each. If it throws, nothing changes.
  @discardableResult
  package func `import`(
    _ file: UserDefaultsFile, replacing: Bool = false, isDryRun: Bool = false,
    reporting report: (Int) throws(KeyValueStoreError) -> Void = { _ in }
  ) throws(KeyValueStoreError) -> UserDefaultsImport {
    if let substitute {
      return try substitute.import(
        file, replacing: replacing, isDryRun: isDryRun, reporting: report)
    }
    try checkCaller()
    return try writeLock.withLock { () throws(KeyValueStoreError) in
      try write(within: lockTimeout) { draft throws(KeyValueStoreError) in
        var result = UserDefaultsImport(file: URL(filePath: file.path), refused: file.refused)
        try report(0)
        for (index, (key, tree)) in file.values.enumerated() {
          do throws(FormatError) {
            let (stored, imported) = (draft[key], ArraySlice(try coding.encode(tree)))
            let isSame = coding.isSame(stored, imported)
            if key == SettingsVersion.key {
              result.refused[key.string] = "A store has its version under this key."
            } else if stored != nil, !isSame, !replacing {
              result.kept.append(key.string)
            } else {
              // An equal value is set too, because its writer may not have flushed it.
              draft[key] = isSame ? stored : imported
              if stored == nil {
                result.imported.append(key.string)
              } else if isSame {
                result.unchanged.append(key.string)
              } else {
                result.replaced.append(key.string)
              }
            }
          } catch {
            result.refused[key.string] = "It cannot be stored: \(error.reason)."
          }
          try report(index + 1)
        }
        draft.isAbandoned = isDryRun
        return result
      }
    }
  }

  /// Reads this store's file again, and returns the keys that are missing or have different values.
  package func keysNotImported(
    from values: [(key: StoredKey, tree: ValueTree)]
  ) throws(KeyValueStoreError) -> [String] {
    if let substitute { return try substitute.keysNotImported(from: values) }
    // A new backend has no cached contents.
    let file = (backend as? FileBackend).map {
      FileBackend(path: $0.path, format: $0.format, coding: $0.coding)
    }
    let contents = try (file ?? backend).load()
    return values.filter { key, tree in
      // The store cannot have a value that its format cannot represent.
      guard let value = try? coding.encode(tree) else { return true }
      return !coding.isSame(contents[key], value[...])
    }.map(\.key.string)
  }
}

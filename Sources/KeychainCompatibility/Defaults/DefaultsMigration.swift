public import FoundationEssentials
public import KeyValueStorage
public import SecretStorage

/// Migrates settings of 1.x from Foundation's `UserDefaults` to a `KeyValueStore`.
///
/// 1.x stored each structure, array and `Data` as the `Data` of a property list, without its type,
/// so the app declares the types; <doc:SettingsSubjectsAndAdapters> has an example. A setting of
/// type `Data` gets the bytes that the getter of 1.x returned. `UserDefaultsImport.undeclared` lists
/// the keys that need a declaration; numbers, strings and dates do not.
///
/// The file of `UserDefaults` is not changed, and existing keys of the store keep their values. The
/// migration can run at every launch: converted values are reported as `native`.
///
/// A tool without the app's types calls ``decodePropertyLists(except:)`` instead.
public struct DefaultsMigration: Sendable {
  let store: KeyValueStore
  let decoder: PropertyListDecoder
  private(set) var conversions: [(key: String, type: any (Codable & Sendable).Type)] = []
  /// The keys whose `Data` is left unchanged; nil means all keys.
  private var undecodedKeys: Set<String>?

  /// Creates a migration without declared keys; pass the decoder of the `DefaultsStore`, if any.
  public init(
    into store: KeyValueStore = .standard, decoder: PropertyListDecoder = PropertyListDecoder()
  ) {
    self.store = store
    self.decoder = decoder
  }

  /// Declares the type of a key's value; a later declaration replaces an earlier one.
  public mutating func convert<Value: Codable & Sendable>(
    _ key: String, as type: Value.Type = Value.self
  ) {
    conversions.removeAll { $0.key == key }
    conversions.append((key, type))
  }

  /// Also decodes undeclared values, without their Swift types.
  ///
  /// `Data` that is a binary property list with an array, a dictionary or `Data` at its top level
  /// becomes that value, and the archive of a URL a string; all other `Data` is left unchanged.
  /// `UserDefaults` stores a file URL as a path, which remains a string: declare the type to get a
  /// URL.
  ///
  /// - Parameter keys: The keys whose property lists are left unchanged, because the app itself
  ///   decodes them.
  public mutating func decodePropertyLists(except keys: Set<String> = []) {
    undecodedKeys = keys
  }

  /// Imports all keys, and converts the declared ones in one transaction.
  ///
  /// - Parameters:
  ///   - suiteName: The name of the suite; nil means `UserDefaults.standard`, whose file is named
  ///     after the executable.
  ///   - isDryRun: Whether only to report what a run would do, without changing anything.
  ///   - report: A closure that receives the number of finished keys of the file and declared keys
  ///     on the calling thread. It can cancel the run, and must not use the store.
  /// - Returns: The outcome for each key.
  /// - Throws: A `KeyValueStoreError` if the file or the store cannot be read, if the store cannot
  ///   be written, or if the run is cancelled. In each case, nothing is converted.
  @discardableResult
  public func run(
    userDefaults suiteName: String? = nil, isDryRun: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> UserDefaultsImport {
    let file = try read(UserDefaultsFile.path(ofSuite: suiteName))
    return try DefaultsMigrationWork(migration: self, file: file, isDryRun: isDryRun)
      .run(replacing: false, report)
  }

  /// Imports any property list in the same way, in XML or binary.
  ///
  /// With `removingSource`, the file is removed at the end if the store's file, read again,
  /// contains each of its values as Foundation reads it, and if it has not been changed; the report
  /// states it. Removing a file does not erase it from the storage medium or from backups.
  ///
  /// - Parameters:
  ///   - file: The URL of the property list.
  ///   - replacing: Whether to replace different values of the store, instead of keeping them.
  ///   - isDryRun: Whether only to report what a run would do, without changing anything.
  ///   - removingSource: Whether to remove the file.
  ///   - report: See ``run(userDefaults:isDryRun:reporting:)``.
  /// - Returns: The outcome for each key.
  /// - Throws: An error of ``run(userDefaults:isDryRun:reporting:)``, such as `unavailable` if the
  ///   file does not exist or cannot be removed.
  @discardableResult
  public func run(
    propertyList file: URL, replacing: Bool = false, isDryRun: Bool = false,
    removingSource: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> UserDefaultsImport {
    guard file.isFileURL else { throw KeyValueStoreError.invalid("The URL must be a file URL.") }
    let read = try read(file.path)
    guard read.exists else {
      throw KeyValueStoreError.unavailable(
        "\(file.path) does not exist. Specify the file that UserDefaults wrote.")
    }
    if removingSource { try read.checkRemovable() }
    let work = DefaultsMigrationWork(migration: self, file: read, isDryRun: isDryRun)
    var result = try work.run(replacing: replacing, report)
    if removingSource, !isDryRun, try work.isComplete(result) {
      try read.remove()
      result.isSourceRemoved = true
    }
    return result
  }

  func undeclared(among keys: [String]) -> [String] {
    let declared = Set(conversions.map(\.key)).union(undecodedKeys ?? [])
    return keys.filter { !declared.contains($0) }
  }

  private func read(_ path: String) throws(KeyValueStoreError) -> UserDefaultsFile {
    let declared = Set(conversions.map(\.key))
    return try UserDefaultsFile(path) { key in
      guard let undecodedKeys else { return false }
      return !undecodedKeys.contains(key) && !declared.contains(key)
    }
  }
}

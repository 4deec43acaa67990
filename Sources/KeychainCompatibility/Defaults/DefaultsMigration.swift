public import FoundationEssentials
public import KeyValueStorage
public import SecretStorage

/// Migrates settings of 1.x from Foundation's `UserDefaults` to a `KeyValueStore`.
///
/// 1.x encoded each structure, array and `Data` as a property list, and `UserDefaults` stored it as
/// `Data`. The file does not contain the types of these values, so the app declares them:
///
/// ```swift
/// var migration = DefaultsMigration(into: .standard)
/// migration.convert("person", as: Person.self)
/// migration.convert("scores", as: [Int].self)
/// let report = try migration.run()
/// ```
///
/// Then `@StoredValue("person") var person: Person?` has the value, and a `Data` has the bytes that
/// the getter of 1.x returned. Numbers, texts and dates are imported without declaration;
/// ``DefaultsMigrationReport/undeclared`` lists the keys that need one.
///
/// The file of `UserDefaults` is only read. Existing keys of the store keep their values. The
/// migration may run at every start: converted values are reported as
/// ``DefaultsMigrationReport/Outcome/native``, and the next run completes an interrupted one.
///
/// Tools without the app's types call ``decodePropertyLists(except:)`` instead.
public struct DefaultsMigration: Sendable {
  let store: KeyValueStore
  let decoder: PropertyListDecoder
  private(set) var conversions: [DefaultsConversion] = []
  /// The keys whose `Data` is left unchanged; nil means all keys.
  private var undecodedKeys: Set<String>?

  /// Creates a migration that does not convert any key yet.
  ///
  /// - Parameters:
  ///   - store: The store that receives the settings.
  ///   - decoder: Reads the coding of 1.x; pass the decoder of `DefaultsStore`, if it had one.
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
    conversions.append(DefaultsConversion(key, of: type))
  }

  /// Also decodes undeclared values, without types: a binary property list distinguishes dates,
  /// data, numbers and texts.
  ///
  /// `Data` that is such a list, with an array, a dictionary or `Data` at its top level, becomes
  /// that value, and the archive of a URL becomes its text. All other `Data` is left unchanged,
  /// including other archives. `UserDefaults` stores the path of a file URL, which remains a text;
  /// declare the type to get a URL.
  ///
  /// - Parameter keys: The keys for which the app itself needs a property list as `Data`.
  public mutating func decodePropertyLists(except keys: Set<String> = []) {
    undecodedKeys = keys
  }

  /// Imports all keys, and converts the declared ones in one transaction.
  ///
  /// - Parameters:
  ///   - suiteName: The suite; nil for `UserDefaults.standard`, named after the executable.
  ///   - isDryRun: Whether to change nothing and only report what a run would do.
  ///   - report: Called on this thread with the number of finished keys, those of the file and the
  ///     declared ones; can cancel the run. It must not use the store.
  /// - Returns: The outcome for each key.
  /// - Throws: `KeyValueStoreError`: the error of reading `UserDefaults` or of reading or writing
  ///   the store, or `cancelled`; nothing is converted then.
  @discardableResult
  public func run(
    userDefaults suiteName: String? = nil, isDryRun: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> DefaultsMigrationReport {
    let file = try read(UserDefaultsFile.path(ofSuite: suiteName))
    return try DefaultsMigrationWork(migration: self, file: file, isDryRun: isDryRun)
      .run(.keepExisting, report)
  }

  /// Imports a file of any origin in the same way: XML, as Foundation writes it on Linux, or
  /// binary.
  ///
  /// With `removingSource`, the file is removed at the end if it is redundant: the store's file,
  /// read again, contains every value, and the source is unchanged. Otherwise it remains, and the
  /// report says so. Removing a file does not erase it from the medium or from backups.
  ///
  /// - Parameters:
  ///   - file: The property list.
  ///   - conflicts: The treatment of a key to which the store has another value.
  ///   - isDryRun: Whether to change nothing and only report what a run would do.
  ///   - removingSource: Whether to remove the file when it is redundant.
  ///   - report: See ``run(userDefaults:isDryRun:reporting:)``.
  /// - Returns: The outcome for each key.
  /// - Throws: As ``run(userDefaults:isDryRun:reporting:)`` does; `KeyValueStoreError.unavailable`
  ///   also if the file does not exist or cannot be removed as requested.
  @discardableResult
  public func run(
    propertyList file: URL, conflicts: ImportConflicts = .keepExisting, isDryRun: Bool = false,
    removingSource: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> DefaultsMigrationReport {
    guard file.isFileURL else { throw KeyValueStoreError.invalid("The URL must be a file URL.") }
    let read = try read(file.path)
    guard read.exists else {
      throw KeyValueStoreError.unavailable(
        "There is no file \(file.path). Specify the one that UserDefaults wrote.")
    }
    if removingSource { try read.checkRemovable() }
    let work = DefaultsMigrationWork(migration: self, file: read, isDryRun: isDryRun)
    var result = try work.run(conflicts, report)
    if removingSource, !isDryRun, try work.isComplete(result) {
      try read.remove()
      result.isSourceRemoved = true
    }
    return result
  }

  /// Returns the keys whose types the app has not declared.
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

/// The results of a ``DefaultsMigration``.
public struct DefaultsMigrationReport: Hashable, Sendable {
  /// The outcome for the value of a key.
  public enum Outcome: Hashable, Sendable {
    /// The value was a property list of 1.x, possibly of `Data`, and is now in the new format.
    case converted
    /// The value needs no conversion.
    case native
    /// The key has no value.
    case absent
    /// The value is left unchanged, for the reason given as a sentence.
    case refused(String)
  }

  /// A key that was declared for the migration.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The outcome for its value.
    public let outcome: Outcome
  }

  /// The import from `UserDefaults`, including undeclared keys.
  public let imported: UserDefaultsImport
  /// The keys affected by ``DefaultsMigration/decodePropertyLists(except:)``: their `Data` was a
  /// property list, and its contents were imported instead.
  public internal(set) var decoded: [String] = []
  /// The undeclared keys whose `Data` is a property list: declare their types, otherwise the app
  /// reads the list instead of its value.
  public internal(set) var undeclared: [String] = []
  /// The declared keys, in declaration order.
  public internal(set) var entries: [Entry] = []
  /// Whether the file was removed because the store contains all of it.
  public internal(set) var isSourceRemoved = false

  /// Returns the declared keys with an outcome.
  public func keys(_ outcome: Outcome) -> [String] {
    entries.filter { $0.outcome == outcome }.map(\.key)
  }
}

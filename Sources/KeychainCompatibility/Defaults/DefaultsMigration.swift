public import FoundationEssentials
public import KeyValueStorage
public import SecretStorage

/// Brings settings of 1.x from Foundation's `UserDefaults` into a `KeyValueStore`.
///
/// 1.x made a property list of each structure, array and `Data`, and `UserDefaults` kept it as
/// `Data`. Only the app knows the types of the values, so it declares them:
///
/// ```swift
/// var migration = DefaultsMigration(into: .standard)
/// migration.convert("person", as: Person.self)
/// migration.convert("scores", as: [Int].self)
/// let report = try migration.run()
/// ```
///
/// Then `@StoredValue("person") var person: Person?` has the value, and a `Data` has the bytes that
/// the getter of 1.x gave. Numbers, texts and dates are imported whether or not they are declared;
/// ``DefaultsMigrationReport/undeclared`` names the keys that were forgotten.
///
/// The file of `UserDefaults` is only read. A key that the store has keeps its value. It may be run
/// at every start: what was converted is found ``DefaultsMigrationReport/Outcome/native``, and a
/// run that was interrupted is finished by the next one.
///
/// A tool that does not have the app's types calls ``decodePropertyLists(except:)`` instead.
public struct DefaultsMigration: Sendable {
  let store: KeyValueStore
  let decoder: PropertyListDecoder
  private(set) var conversions: [DefaultsConversion] = []
  /// The keys whose `Data` stays what it is; nil when that holds for all of them.
  private var undecodedKeys: Set<String>?

  /// Prepares a migration that converts no key yet.
  ///
  /// - Parameters:
  ///   - store: The store that gets the settings.
  ///   - decoder: Reads what 1.x coded; the one that the app gave to `DefaultsStore`, if any.
  public init(
    into store: KeyValueStore = .standard, decoder: PropertyListDecoder = PropertyListDecoder()
  ) {
    self.store = store
    self.decoder = decoder
  }

  /// Declares the type of a key's value; the last declaration of a key counts.
  public mutating func convert<Value: Codable & Sendable>(
    _ key: String, as type: Value.Type = Value.self
  ) {
    conversions.removeAll { $0.key == key }
    conversions.append(DefaultsConversion(key, of: type))
  }

  /// Decodes what is not declared as well, without types: a binary property list says itself what
  /// is a date, data, a number or a text.
  ///
  /// `Data` that is such a list, with an array, a dictionary or `Data` at its top, becomes the array,
  /// dictionary or `Data`, and the archive of a URL becomes its text. All other `Data` stays as it
  /// is, other archives among it. Of a file's URL, `UserDefaults` keeps the path, which stays a
  /// text; declare the type to get a URL.
  ///
  /// - Parameter keys: The keys of which the app itself wants a property list as `Data`.
  public mutating func decodePropertyLists(except keys: Set<String> = []) {
    undecodedKeys = keys
  }

  /// Imports all keys, and converts those that were declared, all of them at once.
  ///
  /// - Parameters:
  ///   - suiteName: The suite; nil for `UserDefaults.standard`, which is named after the executable.
  ///   - isDryRun: Whether to change nothing, and to report what would be done.
  ///   - report: Called on this thread with the number of keys that are done, those of the file and
  ///     those that were declared; it may end the work. The closure must not use the store.
  /// - Returns: What became of each key.
  /// - Throws: `KeyValueStoreError`: why `UserDefaults` could not be read, or the store not be read or
  ///   written, or `cancelled`; nothing is converted then.
  @discardableResult
  public func run(
    userDefaults suiteName: String? = nil, isDryRun: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(KeyValueStoreError) -> DefaultsMigrationReport {
    let file = try read(UserDefaultsFile.path(ofSuite: suiteName))
    return try DefaultsMigrationWork(migration: self, file: file, isDryRun: isDryRun)
      .run(.keepExisting, report)
  }

  /// Does the same with a file, wherever it is from: in XML as Foundation writes it on Linux, or
  /// binary.
  ///
  /// With `removingSource`, the file is removed at the end if nothing of it is left there alone:
  /// the store's file, read anew, has every value, and the source is still what was read. Otherwise
  /// the file stays, and the report says so. Removing a file does not erase it from the medium or
  /// from backups.
  ///
  /// - Parameters:
  ///   - file: The property list.
  ///   - conflicts: What becomes of a key that the store has with another value.
  ///   - isDryRun: Whether to change nothing, and to report what would be done.
  ///   - removingSource: Whether to remove the file when it is not needed any more.
  ///   - report: See ``run(userDefaults:isDryRun:reporting:)``.
  /// - Returns: What became of each key.
  /// - Throws: What ``run(userDefaults:isDryRun:reporting:)`` throws; `KeyValueStoreError.unavailable`
  ///   when there is no such file, or when removing is asked for and cannot be done.
  @discardableResult
  public func run(
    propertyList file: URL, conflicts: ImportConflicts = .keepExisting, isDryRun: Bool = false,
    removingSource: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(KeyValueStoreError) -> DefaultsMigrationReport {
    guard file.isFileURL else { throw .invalid("This URL is not one of a file") }
    let read = try read(file.path)
    guard read.isThere else {
      throw .unavailable("There is no file \(file.path). Name the one that UserDefaults wrote.")
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

  /// The keys whose values the app has not explained.
  func undeclared(among keys: [String]) -> [String] {
    let explained = Set(conversions.map(\.key)).union(undecodedKeys ?? [])
    return keys.filter { !explained.contains($0) }
  }

  private func read(_ path: String) throws(KeyValueStoreError) -> UserDefaultsFile {
    let declared = Set(conversions.map(\.key))
    return try UserDefaultsFile(path) { key in
      guard let undecodedKeys else { return false }
      return !undecodedKeys.contains(key) && !declared.contains(key)
    }
  }
}

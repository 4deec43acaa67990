public import FoundationEssentials
public import KeyValueStorage

/// Brings settings of 1.x from Foundation's `UserDefaults` into a `KeyValueStore`.
///
/// 1.x made a property list of each structure and array, and `UserDefaults` kept it as `Data`. What such
/// a key holds only the app knows, so it declares the types:
///
/// ```swift
/// var migration = DefaultsMigration(into: .standard)
/// migration.convert("person", as: Person.self)
/// migration.convert("scores", as: [Int].self)
/// let report = try migration.run()
/// ```
///
/// Then `@StoredValue("person") var person: Person?` has the value. Numbers, texts and dates are imported
/// whether or not they are declared.
///
/// The file of `UserDefaults` is only read. A key that the store has keeps its value. It may be run at
/// every start: what was converted is found ``DefaultsMigrationReport/Outcome/native``, and a run that
/// was interrupted is finished by the next one.
public struct DefaultsMigration: Sendable {
  private let store: KeyValueStore
  private let decoder: PropertyListDecoder
  private var conversions: [DefaultsConversion] = []

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

  /// Imports all keys, and converts those that were declared, all of them at once.
  ///
  /// - Parameters:
  ///   - suiteName: The suite; nil for `UserDefaults.standard`, which is named after the executable.
  ///   - isDryRun: Whether to change nothing, and to report what would be done.
  /// - Returns: What became of each key.
  /// - Throws: Why `UserDefaults` could not be read, or the store not be read or written; nothing is
  ///   converted then.
  @discardableResult
  public func run(
    userDefaults suiteName: String? = nil, isDryRun: Bool = false
  ) throws(KeyValueStoreError) -> DefaultsMigrationReport {
    let imported = try store.import(userDefaults: suiteName, dryRun: isDryRun)
    return try convert(imported, isDryRun)
  }

  @discardableResult
  func run(
    propertyList path: String, isDryRun: Bool
  ) throws(KeyValueStoreError) -> DefaultsMigrationReport {
    try convert(try store.import(propertyList: path, dryRun: isDryRun), isDryRun)
  }

  private func convert(
    _ imported: UserDefaultsImport, _ isDryRun: Bool
  ) throws(KeyValueStoreError) -> DefaultsMigrationReport {
    var report = DefaultsMigrationReport(imported: imported)
    if isDryRun {
      // What would be imported is only in the file.
      let source = KeyValueStore(propertyList: imported.file)
      let coming = Set(imported.imported)
      report.entries = try entries { conversion throws(KeyValueStoreError) in
        try conversion.outcome(
          in: coming.contains(conversion.key) ? source : store, decoder, isDryRun: true)
      }
      return report
    }
    do {
      report.entries = try store.transaction {
        try entries { conversion throws(KeyValueStoreError) in
          try conversion.outcome(in: store, decoder, isDryRun: false)
        }
      }
    } catch {
      throw error as? KeyValueStoreError ?? .unavailable("\(error)")
    }
    return report
  }

  private func entries(
    _ outcome: (DefaultsConversion) throws(KeyValueStoreError) -> DefaultsMigrationReport.Outcome
  ) throws(KeyValueStoreError) -> [DefaultsMigrationReport.Entry] {
    var entries: [DefaultsMigrationReport.Entry] = []
    for conversion in conversions {
      entries.append(
        DefaultsMigrationReport.Entry(key: conversion.key, outcome: try outcome(conversion)))
    }
    return entries
  }
}

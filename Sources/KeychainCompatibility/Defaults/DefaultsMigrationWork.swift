import FoundationEssentials
import KeyValueStorage
import SecretStorage
import ValueFormats

/// The migration of one file: an import of all its keys, then one transaction that converts
/// the declared ones.
struct DefaultsMigrationWork {
  let migration: DefaultsMigration
  let file: UserDefaultsFile
  let isDryRun: Bool

  func run(
    replacing: Bool, _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws -> UserDefaultsImport {
    var imported = try migration.store.import(file, replacing: replacing, isDryRun: isDryRun) {
      completed throws(KeyValueStoreError) in
      try checkProgress(completed, report)
    }
    imported.decoded = file.decodedKeys
    imported.undeclared = migration.undeclared(among: file.codedKeys)
    if isDryRun {
      let source = KeyValueStore()
      try source.import(file)
      return try converting(imported, source, report)
    }
    return try migration.store.transaction { [imported] in
      try converting(imported, migration.store, report)
    }
  }

  /// Converts the declared keys, and adds the outcomes; `source` has the values of the file.
  private func converting(
    _ imported: UserDefaultsImport, _ source: KeyValueStore,
    _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws -> UserDefaultsImport {
    let keysOfFile = Set(imported.imported + imported.replaced + imported.unchanged)
    var result = imported
    for (index, (key, type)) in migration.conversions.enumerated() {
      try convert(key, as: type, of: keysOfFile.contains(key) ? source : nil, &result)
      try checkProgress(file.values.count + index + 1, report)
    }
    return result
  }

  /// Converts a key's value unless this is a dry run, and adds the outcome.
  ///
  /// `source` has the value of the file, or is nil if the app has already set a value.
  private func convert<Value: Codable & Sendable>(
    _ key: String, as type: Value.Type, of source: KeyValueStore?,
    _ result: inout UserDefaultsImport
  ) throws {
    let store = source ?? migration.store
    let value: Value?
    if source != nil, let data = file.data(of: key) {
      // Like the getter of 1.x: a property list of the type, including `Data`, or the value.
      value = decoded(type, from: data)
      if value == nil, type == Data.self { return result.native.append(key) }
    } else {
      do {
        switch try store.value(of: key, as: CodedValue<Value>.self) {
        case nil: return result.absent.append(key)
        case .native:
          guard source != nil, type == URL.self, let url = fileURL(of: key, in: store) as? Value
          else { return result.native.append(key) }
          value = url
        case .coded(let data): value = decoded(type, from: data)
        }
      } catch KeyValueStoreError.undecodable {
        return result.refused[key] = "It is not of type \(type)."
      }
    }
    guard let value else {
      return result.refused[key] = "It is not a property list of type \(type)."
    }
    if !isDryRun {
      try store.set(value, for: key)
      // Read back before the transaction replaces the encoded value.
      guard try store.value(of: key, as: type) != nil else {
        throw KeyValueStoreError.unencodable(
          key: key, type: "\(type)", reason: "it would be stored as null, which is not a value")
      }
    }
    result.converted.append(key)
  }

  /// Decodes a value that 1.x encoded or `UserDefaults` archived; returns nil for other data.
  private func decoded<Value: Decodable>(_ type: Value.Type, from data: Data) -> Value? {
    if type == URL.self, let url = URL(archive: data) as? Value { return url }
    do {
      return try migration.decoder.decodeCoded(type, from: data)
    } catch {
      return nil
    }
  }

  /// Returns the URL of a file path stored by `UserDefaults`; nil for any other value.
  private func fileURL(of key: String, in store: KeyValueStore) -> URL? {
    do {
      // Read as a string, because a URL does not distinguish a path from its escaped form.
      guard let path: String = try store.value(of: key), path.hasPrefix("/") || path.hasPrefix("~")
      else { return nil }
      return URL(filePath: path)
    } catch {
      // A URL relative to another URL is not stored as a string.
      return nil
    }
  }

  /// Returns whether the store contains the whole file, so that the file is redundant.
  ///
  /// The file is read again by Foundation, so that no error of the import can lose a value.
  func isComplete(_ result: UserDefaultsImport) throws(KeyValueStoreError) -> Bool {
    let count = result.imported.count + result.unchanged.count + result.replaced.count
    guard count == file.values.count, file.refused.isEmpty,
      let values = try file.valuesOfFoundation()
    else { return false }
    // A converted value has a different form in the file.
    return try migration.store.keysNotImported(from: file.values + values)
      .allSatisfy(Set(result.converted).contains)
  }

  private func checkProgress(
    _ completed: Int, _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws(KeyValueStoreError) {
    let progress = MaintenanceProgress(
      completed: completed, total: file.values.count + migration.conversions.count)
    if report(progress) == .cancel { throw .cancelled }
  }
}

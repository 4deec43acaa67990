import FoundationEssentials
import KeyValueStorage
import SecretStorage
import ValueFormats

/// The migration of a file: an import of all keys, then a transaction that converts declared ones.
struct DefaultsMigrationWork {
  let migration: DefaultsMigration
  let file: UserDefaultsFile
  let isDryRun: Bool

  func run(
    replacing: Bool, _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws -> UserDefaultsImport {
    func checkProgress(_ completed: Int) throws(KeyValueStoreError) {
      let total = file.values.count + migration.conversions.count
      let progress = MaintenanceProgress(completed: completed, total: total)
      if report(progress) == .cancel { throw .cancelled }
    }
    var imported = try migration.store.import(
      file, replacing: replacing, isDryRun: isDryRun, reporting: checkProgress)
    imported.decoded = file.decodedKeys
    let knownKeys = migration.knownKeys
    imported.undeclared = file.codedKeys.filter { !knownKeys.contains($0) }
    if isDryRun {
      // Nothing was imported, so the file's values are read from a store in memory.
      let source = KeyValueStore()
      try source.import(file)
      return try converting(imported, source, checkProgress)
    }
    return try migration.store.transaction { [imported] in
      try converting(imported, migration.store, checkProgress)
    }
  }

  /// Converts the declared keys after an import; `source` is the store with the file's values.
  private func converting(
    _ imported: UserDefaultsImport, _ source: KeyValueStore,
    _ checkProgress: (Int) throws -> Void
  ) throws -> UserDefaultsImport {
    let keysWithFileValue = Set(imported.imported + imported.replaced + imported.unchanged)
    var result = imported
    for (index, (key, type)) in migration.conversions.enumerated() {
      try convert(key, as: type, of: keysWithFileValue.contains(key) ? source : nil, &result)
      try checkProgress(file.values.count + index + 1)
    }
    return result
  }

  /// Converts a key's value, but does not write it in a dry run, and adds the outcome.
  ///
  /// `source` is the store with the key's value in the file; nil if the file has no value for the
  /// key, or if the store keeps another one.
  private func convert<Value: Codable & Sendable>(
    _ key: String, as type: Value.Type, of source: KeyValueStore?,
    _ result: inout UserDefaultsImport
  ) throws {
    let store = source ?? migration.store
    let value: Value?
    if source != nil, let data = file.data(of: key) {
      // The getter of 1.x first decoded `Data` as a property list of the type, even if the type was
      // `Data`. If that failed, it returned the stored value itself.
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
      // The value is read back before the transaction replaces the encoded one.
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
    return try? migration.decoder.decodeCoded(type, from: data)
  }

  /// Returns the URL of a file path stored by `UserDefaults`; returns nil for any other value.
  private func fileURL(of key: String, in store: KeyValueStore) -> URL? {
    // The value is read as a string, because a URL does not distinguish a path from its escaped
    // form. A URL relative to another URL is not stored as a string.
    guard let path = try? store.value(of: key, as: String.self),
      path.hasPrefix("/") || path.hasPrefix("~")
    else { return nil }
    return URL(filePath: path)
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
}

import FoundationEssentials
import KeyValueStorage
import SecretStorage

/// The migration of one file: an import of all its keys, then one transaction that converts
/// the declared ones.
struct DefaultsMigrationWork {
  let migration: DefaultsMigration
  let file: UserDefaultsFile
  let isDryRun: Bool

  func run(
    _ conflicts: ImportConflicts, _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws -> DefaultsMigrationReport {
    let imported = try migration.store.import(
      file, replacing: conflicts == .replace, dryRun: isDryRun
    ) { completed throws(KeyValueStoreError) in
      try checkProgress(completed, report)
    }
    var result = DefaultsMigrationReport(imported: imported)
    result.decoded = file.decodedKeys
    result.undeclared = migration.undeclared(among: file.codedKeys)
    let keysOfFile = Set(imported.imported + imported.replaced + imported.unchanged)
    /// Converts the declared keys; the values of the file are in `source`.
    func entries(in source: KeyValueStore) throws -> [DefaultsMigrationReport.Entry] {
      var entries: [DefaultsMigrationReport.Entry] = []
      for conversion in migration.conversions {
        let key = conversion.key
        let outcome =
          keysOfFile.contains(key)
          ? try conversion.convert(source, migration.decoder, .file(file.data(of: key)), isDryRun)
          : try conversion.convert(migration.store, migration.decoder, .store, isDryRun)
        entries.append(DefaultsMigrationReport.Entry(key: key, outcome: outcome))
        try checkProgress(file.count + entries.count, report)
      }
      return entries
    }
    if isDryRun {
      let source = KeyValueStore()
      try source.import(file)
      result.entries = try entries(in: source)
    } else {
      result.entries = try migration.store.transaction { try entries(in: migration.store) }
    }
    return result
  }

  /// Returns whether the store contains the whole file, so that the file is redundant.
  ///
  /// The file is read again by Foundation, so that no error of the import can lose a value.
  func isComplete(_ report: DefaultsMigrationReport) throws(KeyValueStoreError) -> Bool {
    guard report.imported.refused.isEmpty, report.imported.kept.isEmpty,
      let values = try file.valuesOfFoundation()
    else { return false }
    // A converted value has a different form in the file.
    let converted = Set(report.keys(.converted))
    return try migration.store.keysNotImported(from: file.values + values)
      .allSatisfy(converted.contains)
  }

  private func checkProgress(
    _ completed: Int, _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws(KeyValueStoreError) {
    let progress = MaintenanceProgress(
      completed: completed, total: file.count + migration.conversions.count)
    if report(progress) == .cancel { throw .cancelled }
  }
}

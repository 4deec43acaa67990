import FoundationEssentials
import KeyValueStorage
import SecretStorage

/// The migration of one file: all its keys are imported at once, then all declared ones converted
/// at once.
struct DefaultsMigrationWork {
  let migration: DefaultsMigration
  let file: UserDefaultsFile
  let isDryRun: Bool

  func run(
    _ conflicts: ImportConflicts, _ report: (UpkeepProgress) -> UpkeepProgress.Decision
  ) throws(KeyValueStoreError) -> DefaultsMigrationReport {
    let imported = try migration.store.import(
      file, replacing: conflicts == .replace, dryRun: isDryRun
    ) { completed throws(KeyValueStoreError) in
      try checkProgress(completed, report)
    }
    var result = DefaultsMigrationReport(imported: imported)
    result.decoded = file.decodedKeys
    result.undeclared = migration.undeclared(among: file.codedKeys)
    let ofFile = Set(imported.imported + imported.replaced + imported.unchanged)
    func origin(_ key: String) -> DefaultsConversion.Origin {
      ofFile.contains(key) ? .file(file.data(of: key)) : .store
    }
    if isDryRun {
      // What would be imported is only in the file.
      let source = KeyValueStore()
      try source.import(file)
      result.entries = try entries(report) { conversion throws(KeyValueStoreError) in
        return try conversion.outcome(
          in: ofFile.contains(conversion.key) ? source : migration.store, migration.decoder,
          from: origin(conversion.key), isDryRun: true)
      }
      return result
    }
    do {
      result.entries = try migration.store.transaction {
        try entries(report) { conversion throws(KeyValueStoreError) in
          try conversion.outcome(
            in: migration.store, migration.decoder, from: origin(conversion.key), isDryRun: false)
        }
      }
    } catch {
      throw error as? KeyValueStoreError ?? .unavailable("\(error)")
    }
    return result
  }

  /// Whether the store has all that the file has, so that the file is not needed any more.
  func isComplete(_ report: DefaultsMigrationReport) throws(KeyValueStoreError) -> Bool {
    // A value that was just converted is stored in another form than the file has.
    let converted = Set(report.keys(.converted)).subtracting(report.imported.kept)
    return try migration.store.keys(missingOf: file).allSatisfy(converted.contains)
  }

  private func entries(
    _ report: (UpkeepProgress) -> UpkeepProgress.Decision,
    _ outcome: (DefaultsConversion) throws(KeyValueStoreError) -> DefaultsMigrationReport.Outcome
  ) throws(KeyValueStoreError) -> [DefaultsMigrationReport.Entry] {
    var entries: [DefaultsMigrationReport.Entry] = []
    for conversion in migration.conversions {
      entries.append(
        DefaultsMigrationReport.Entry(key: conversion.key, outcome: try outcome(conversion)))
      try checkProgress(file.count + entries.count, report)
    }
    return entries
  }

  private func checkProgress(
    _ completed: Int, _ report: (UpkeepProgress) -> UpkeepProgress.Decision
  ) throws(KeyValueStoreError) {
    let total = file.count + migration.conversions.count
    if report(UpkeepProgress(completed: completed, total: total)) == .cancel { throw .cancelled }
  }
}

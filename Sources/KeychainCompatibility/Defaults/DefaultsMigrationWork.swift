import Concurrency
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import StorageInternals

/// The migration of one file: an import of all its keys, then one transaction that converts all
/// declared ones.
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
    let ofFile = Set(imported.imported + imported.replaced + imported.unchanged)
    func origin(_ key: String) -> DefaultsConversion.Origin {
      ofFile.contains(key) ? .file(file.data(of: key)) : .store
    }
    if isDryRun {
      // In a dry run, the values to import are only in the file.
      let source = KeyValueStore()
      try source.import(file)
      result.entries = try entries(report) { conversion in
        try conversion.outcome(
          in: ofFile.contains(conversion.key) ? source : migration.store, migration.decoder,
          from: origin(conversion.key), isDryRun: true)
      }
      return result
    }
    result.entries = try migration.store.transaction {
      try entries(report) { conversion in
        try conversion.outcome(
          in: migration.store, migration.decoder, from: origin(conversion.key), isDryRun: false)
      }
    }
    return result
  }

  /// Returns whether the store contains the whole file, so that the file is redundant.
  func isComplete(_ report: DefaultsMigrationReport) throws(KeyValueStoreError) -> Bool {
    // A converted value differs in form from that of the file.
    let converted = Set(report.keys(.converted)).subtracting(report.imported.kept)
    return try migration.store.keys(missingOf: file).allSatisfy(converted.contains)
  }

  private func entries(
    _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision,
    _ outcome: (DefaultsConversion) throws -> DefaultsMigrationReport.Outcome
  ) throws -> [DefaultsMigrationReport.Entry] {
    var entries: [DefaultsMigrationReport.Entry] = []
    for conversion in migration.conversions {
      entries.append(
        DefaultsMigrationReport.Entry(key: conversion.key, outcome: try outcome(conversion)))
      try checkProgress(file.count + entries.count, report)
    }
    return entries
  }

  private func checkProgress(
    _ completed: Int, _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws(KeyValueStoreError) {
    let progress = MaintenanceProgress(
      completed: completed, total: file.count + migration.conversions.count)
    if report(progress) == .cancel { throw .cancelled }
  }
}

/// The default service of items, as in 0.x: the app's identifier and a suffix.
enum DefaultDomain {
  private static let identifier = Lock(String?.none)

  /// The identifier set by the app, or the name of the executable, as in its directories.
  static var bundleIdentifier: String? {
    get { identifier.withLock { $0 } ?? applicationName }
    set { identifier.withLock { $0 = newValue } }
  }

  /// - Throws: `SecretStoreError.invalid` if the app has no name.
  static func service() throws(SecretStoreError) -> String {
    guard let bundleIdentifier else {
      throw .invalid(
        "The executable has no name to take for the app's: set CodableKeychainAdapter.bundleIdentifier"
      )
    }
    return "\(bundleIdentifier).securedomain.default"
  }

  private static var applicationName: String? {
    do throws(ApplicationDirectoriesError) {
      return try ApplicationDirectories().applicationName
    } catch {
      return nil
    }
  }
}

import ValueFormats

/// The version of an app's settings, and the migrations from older versions.
struct SettingsVersion: Sendable {
  /// The key of the version in the store; version 0 is not written.
  static let key = StoredKey("$version")

  let number: Int
  private let migrations: [KeyValueMigration]

  /// Traps unless the versions of the migrations ascend, from 1 to the version.
  init(_ number: Int, _ migrations: [KeyValueMigration]) {
    let versions = migrations.map(\.version)
    guard zip(versions, versions.dropFirst()).allSatisfy(<), versions.first ?? 1 > 0,
      versions.last ?? number <= number
    else {
      fatalError(
        """
        The migrations of a KeyValueStore of version \(number) have the versions \(versions). Pass \
        the version of the store, and migrations in ascending order from 1 to that version.
        """)
    }
    self.number = number
    self.migrations = migrations
  }

  /// Returns whether a draft must be migrated or rejected before its values are read.
  func differs(from draft: KeyValueDraft) throws(KeyValueStoreError) -> Bool {
    if number == 0 || draft.contents.isEmpty { return false }
    return try storedVersion(in: draft) != number
  }

  /// Applies the migrations to versions after the draft's, unless the draft is empty; throws
  /// `newerVersion` if the draft's version is later than this one.
  func migrate(_ draft: inout KeyValueDraft) throws(KeyValueStoreError) {
    if draft.contents.isEmpty { return }
    let found = try storedVersion(in: draft)
    if found > number { throw .newerVersion(found: found, supported: number) }
    for migration in migrations where migration.version > found {
      do {
        try migration.migrate(&draft)
      } catch {
        throw .migrationFailed(version: migration.version, reason: "\(error)")
      }
    }
  }

  func writeVersion(to draft: inout KeyValueDraft) throws(KeyValueStoreError) {
    // Its notation in the file stays.
    if draft.contents.isEmpty || (try? storedVersion(in: draft)) == number { return }
    draft[Self.key] = try draft.coding.encode(number, key: Self.key.string)
  }

  private func storedVersion(in draft: KeyValueDraft) throws(KeyValueStoreError) -> Int {
    try draft.storedValue(of: Self.key, as: Int.self) ?? 0
  }
}

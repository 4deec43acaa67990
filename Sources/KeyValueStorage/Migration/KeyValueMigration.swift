import ValueFormats

/// A migration from one version of an app's settings to the next.
///
/// ```swift
/// KeyValueMigration(to: 2) { settings in
///   settings.rename("colour", to: "color")
/// }
/// ```
public struct KeyValueMigration: Sendable {
  /// The version of the settings after the migration.
  public let version: Int
  let migrate: @Sendable (inout KeyValueDraft) throws -> Void

  /// Creates a migration.
  ///
  /// - Parameters:
  ///   - version: The version of the settings after the migration; at least 1.
  ///   - migrate: Changes the keys. It may be called again. If it throws, nothing changes.
  public init(
    to version: Int, _ migrate: @escaping @Sendable (inout KeyValueDraft) throws -> Void
  ) {
    self.version = version
    self.migrate = migrate
  }
}

/// The version of an app's settings, and the migrations from older versions.
struct SettingsVersion: Sendable {
  /// The key of the version in the store; version 0 is not written.
  static let key = StoredKey("$version")

  let number: Int
  private let migrations: [KeyValueMigration]

  init(_ number: Int, _ migrations: [KeyValueMigration]) {
    let versions = migrations.map(\.version)
    guard zip(versions, versions.dropFirst()).allSatisfy(<), versions.first ?? 1 > 0,
      versions.last ?? number <= number
    else {
      fatalError(
        """
        The migrations of a KeyValueStore of version \(number) have the versions \(versions). Pass \
        migrations in ascending order of version, from 1 to \(number).
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
    if draft.contents.isEmpty { return }
    draft[Self.key] = try draft.coding.encode(number, key: Self.key.string)
  }

  private func storedVersion(in draft: KeyValueDraft) throws(KeyValueStoreError) -> Int {
    guard let value = draft[Self.key] else { return 0 }
    return try draft.coding.value(Int.self, from: value, key: Self.key.string)
  }
}

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
  ///   - migrate: A closure that changes the keys and values, and may be called again. If it
  ///     throws, nothing changes.
  public init(
    to version: Int, _ migrate: @escaping @Sendable (inout KeyValueDraft) throws -> Void
  ) {
    self.version = version
    self.migrate = migrate
  }
}

public import SecretStorage

/// The outcomes of a migration, or the expected outcomes of a dry run.
public struct MigrationReport: Hashable, Sendable {
  /// The outcome for one secret.
  public struct Entry: Hashable, Sendable {
    /// The position in the source, such as `line 3`.
    public let position: String
    /// The identity of the item in the store.
    public let identity: ItemIdentity
    /// The outcome.
    public let outcome: ImportReport.Outcome
  }

  /// The outcomes for the readable secrets, in the order of migration.
  public internal(set) var entries: [Entry] = []
  /// The secrets that could not be read and were skipped.
  public internal(set) var unreadable: [ForeignSecrets.Unreadable] = []
  /// Whether the source file was removed.
  public internal(set) var isSourceRemoved = false

  /// Returns the identities of the secrets with a given outcome, in the order of migration.
  public func identities(_ outcome: ImportReport.Outcome) -> [ItemIdentity] {
    entries.filter { $0.outcome == outcome }.map(\.identity)
  }
}

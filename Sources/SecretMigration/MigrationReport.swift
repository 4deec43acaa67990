public import SecretStorage

/// What a migration did with each secret, or would do.
public struct MigrationReport: Hashable, Sendable {
  /// A secret of the source.
  public struct Entry: Hashable, Sendable {
    /// Where it stands in the source, such as `line 3`.
    public let place: String
    /// What tells it apart from others in the store.
    public let identity: ItemIdentity
    /// What became of it.
    public let outcome: ImportReport.Outcome
  }

  /// Every secret of the source that could be read, in its order.
  public internal(set) var entries: [Entry] = []
  /// What could not be read and was left out.
  public internal(set) var unreadable: [ForeignSecrets.Unreadable] = []
  /// Whether the source was removed.
  public internal(set) var isSourceRemoved = false

  /// The secrets that had an outcome, in the source's order.
  public func identities(_ outcome: ImportReport.Outcome) -> [ItemIdentity] {
    entries.filter { $0.outcome == outcome }.map(\.identity)
  }
}

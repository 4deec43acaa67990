/// The actual or simulated outcome of an import for each item.
public struct ImportReport: Hashable, Sendable {
  /// The outcome for an item.
  public enum Outcome: Hashable, Sendable {
    /// The vault had no item with this identity.
    case added
    /// The vault already has the item, with the same secret and attributes.
    case identical
    /// The vault has a different item with this identity, handled as in ``ImportConflicts``.
    case conflict
    /// The vault rejects the item for the given reason, which is a sentence.
    case refused(String)

    /// Whether the vault rejects the item.
    public var isRefusal: Bool { if case .refused = self { true } else { false } }
  }

  /// An item of the import.
  public struct Entry: Hashable, Sendable {
    /// The item, as in the imported file.
    public let item: SecretItem
    /// The outcome for the item.
    public let outcome: Outcome
    /// Whether the item is written with an earlier date than in the imported file.
    ///
    /// The limit is one day after the current time or the vault's newest item, whichever is later.
    public let isRedated: Bool
  }

  /// An entry for every imported item, with the oldest first.
  public internal(set) var entries: [Entry] = []

  /// Returns the items with an outcome, with the oldest first.
  public func items(_ outcome: Outcome) -> [SecretItem] {
    entries.filter { $0.outcome == outcome }.map(\.item)
  }
}

/// The handling of imported items whose identity the vault already has, with different content.
public enum ImportConflicts: Hashable, Sendable {
  /// The vault's item is kept.
  case keepExisting
  /// The imported item's secret, attributes, access control and dates replace the existing ones.
  case replace
}

/// The items in an export, and the omitted items.
public struct ExportReport: Hashable, Sendable {
  /// An item that is not in the export.
  public struct Omission: Hashable, Sendable {
    /// The item, as in the vault.
    public let item: SecretItem
    /// The reason why it is not in the export, as a sentence for the user.
    public let reason: String
  }

  /// The exported items, as in the vault, with the oldest first.
  public internal(set) var exported: [SecretItem] = []
  /// The omitted items and the reasons, with the oldest first.
  public internal(set) var omitted: [Omission] = []
}

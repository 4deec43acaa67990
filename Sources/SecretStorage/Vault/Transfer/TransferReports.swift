/// The outcome of an import, actual or simulated, for each item.
public struct ImportReport: Hashable, Sendable {
  /// The outcome for an item.
  public enum Outcome: Hashable, Sendable {
    /// The vault had no item with this identity.
    case added
    /// The vault already has the item, with the same secret and attributes.
    case identical
    /// The vault has another item with this identity; ``ImportConflicts`` decided which one is
    /// there now.
    case conflict
    /// The vault refuses the item; the text is a sentence that gives the reason.
    case refused(String)

    /// Whether the vault refuses the item, so that only the source has it.
    public var isRefusal: Bool {
      if case .refused = self { true } else { false }
    }
  }

  /// An item of the import.
  public struct Entry: Hashable, Sendable {
    /// The item, as in the imported file.
    public let item: SecretItem
    /// The outcome for the item.
    public let outcome: Outcome
    /// Whether the item is written with an earlier date than in the import.
    ///
    /// A date may be at most a day after the present time, or after the newest item of the vault if
    /// that is later. A later date is replaced with that limit.
    public let isRedated: Bool
  }

  /// Every item of the import, the oldest first.
  public internal(set) var entries: [Entry] = []

  /// Returns the items with an outcome, the oldest first.
  public func items(_ outcome: Outcome) -> [SecretItem] {
    entries.filter { $0.outcome == outcome }.map(\.item)
  }
}

/// The handling of an imported item whose identity the vault already has, with other content.
public enum ImportConflicts: Hashable, Sendable {
  /// The vault's item stays.
  case keepExisting
  /// The imported item replaces it: secret, attributes, access control and dates.
  case replace
}

/// The items in an export, and the items left out.
public struct ExportReport: Hashable, Sendable {
  /// An item that is not in the export.
  public struct LeftOut: Hashable, Sendable {
    /// The item, as in the vault.
    public let item: SecretItem
    /// The reason why it is not in the export, as a sentence for the user.
    public let reason: String
  }

  /// The items in the export, as in the vault, the oldest first.
  public internal(set) var exported: [SecretItem] = []
  /// The items left out, the oldest first.
  public internal(set) var leftOut: [LeftOut] = []
}

/// The outcomes of an import or a migration of secrets, or the expected ones of a dry run.
public struct ImportReport: Hashable, Sendable {
  /// The outcome for an item.
  public enum Outcome: Hashable, Sendable {
    /// The store had no item with this identity.
    case added
    /// The store already has the item, as after an earlier run.
    case identical
    /// The store has a different item with this identity, which is replaced only on request.
    case conflict
    /// The item was JSON and now has the format of `GenericPassword`.
    case converted
    /// The item needs no conversion.
    case native
    /// The item does not exist.
    case absent
    /// The item is left unchanged, because the migration does not declare its type.
    case undeclared
    /// The item is rejected or left unchanged, for the reason given as a sentence.
    case refused(String)

    /// Whether the item is rejected or of undeclared type.
    public var isRefusal: Bool { if case .refused = self { true } else { self == .undeclared } }
  }

  /// An item of the import.
  public struct Entry: Hashable, Sendable {
    /// The identity of the item in the store.
    public let identity: ItemIdentity
    /// The outcome for the item.
    public let outcome: Outcome
    /// Whether the item gets an earlier date than in the imported file: one day after the current
    /// time or the vault's newest item, whichever is later.
    public let isRedated: Bool

    package init(_ identity: ItemIdentity, _ outcome: Outcome, isRedated: Bool = false) {
      self.identity = identity
      self.outcome = outcome
      self.isRedated = isRedated
    }
  }

  /// An entry for every item, in the order of the import.
  public package(set) var entries: [Entry] = []
  /// Whether the source file was removed.
  public package(set) var isSourceRemoved = false

  package init() {}

  /// Returns the identities of the items with an outcome, in the order of the import.
  public func identities(_ outcome: Outcome) -> [ItemIdentity] {
    entries.filter { $0.outcome == outcome }.map(\.identity)
  }
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

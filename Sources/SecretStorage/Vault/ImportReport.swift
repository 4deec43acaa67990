/// What an import did with each item, or would do.
public struct ImportReport: Hashable, Sendable {
  /// What became of an item.
  public enum Outcome: Hashable, Sendable {
    /// The vault had no item of this identity.
    case added
    /// The vault has the item already, with the same secret and attributes.
    case identical
    /// The vault has another item of this identity; ``ImportConflicts`` said which one is there
    /// now.
    case conflict
    /// The vault does not take the item, for the reason that a sentence gives.
    case refused(String)

    /// Whether the vault does not take the item, so that the source alone has it.
    public var isRefusal: Bool {
      if case .refused = self { true } else { false }
    }
  }

  /// An item of the import.
  public struct Entry: Hashable, Sendable {
    /// The item, as it is in the file that was imported.
    public let item: SecretItem
    /// What became of it.
    public let outcome: Outcome
    /// Whether the item is written with an earlier date than it has in the import.
    ///
    /// A date may be at most a day after the present time, or after the newest item of the vault if
    /// that is later. One that is later still is moved back to that.
    public let isRedated: Bool
  }

  /// Every item of the import, the oldest first.
  public internal(set) var entries: [Entry] = []

  /// The items that had an outcome, the oldest first.
  public func items(_ outcome: Outcome) -> [SecretItem] {
    entries.filter { $0.outcome == outcome }.map(\.item)
  }
}

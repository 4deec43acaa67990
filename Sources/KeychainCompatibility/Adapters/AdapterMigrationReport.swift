/// What an ``AdapterMigration`` did with each key, or would do.
public struct AdapterMigrationReport: Hashable, Sendable {
  /// What became of the item of a key.
  public enum Outcome: Hashable, Sendable {
    /// It was JSON, and is now what `GenericPassword` stores.
    case converted
    /// An earlier run converted it.
    case alreadyConverted
    /// It is not JSON, but a value as `GenericPassword` stores it.
    case native
    /// There is no item.
    case absent
    /// Somebody changed the item after an interrupted run had prepared it: nothing was changed.
    case conflict
    /// The service has an item of this key, but the migration was told nothing of it.
    case undeclared
    /// The item stays as it is, for the reason that a sentence gives.
    case refused(String)
  }

  /// A key of the service.
  public struct Entry: Hashable, Sendable {
    /// The key, which is the account of the item.
    public let key: String
    /// What became of it.
    public let outcome: Outcome
  }

  /// The declared keys in the order in which they were declared, then the undeclared ones.
  public internal(set) var entries: [Entry] = []

  /// The keys that had an outcome.
  public func keys(_ outcome: Outcome) -> [String] {
    entries.filter { $0.outcome == outcome }.map(\.key)
  }
}

public import KeyValueStorage

/// What a ``DefaultsMigration`` did, or would do.
public struct DefaultsMigrationReport: Hashable, Sendable {
  /// What became of the value of a key.
  public enum Outcome: Hashable, Sendable {
    /// It was a property list of 1.x, of `Data` too, and is stored as `StoredValue` stores it.
    case converted
    /// It needs no conversion.
    case native
    /// The key has no value.
    case absent
    /// It stays as it is, for the reason that a sentence gives.
    case refused(String)
  }

  /// A key that was declared for the migration.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public let key: String
    /// What became of its value.
    public let outcome: Outcome
  }

  /// What was imported of `UserDefaults`, with the keys that were not declared.
  public let imported: UserDefaultsImport
  /// The keys that ``DefaultsMigration/decodePropertyLists(except:)`` was about: their `Data` was a
  /// property list, and what it holds was imported in its place.
  public internal(set) var decoded: [String] = []
  /// The keys whose `Data` is a property list and that were not declared, so that the app would
  /// read the list instead of its value: declare their types.
  public internal(set) var undeclared: [String] = []
  /// The declared keys, in the order in which they were declared.
  public internal(set) var entries: [Entry] = []
  /// Whether the file was removed, because the store has all of it.
  public internal(set) var isSourceRemoved = false

  /// The declared keys that had an outcome.
  public func keys(_ outcome: Outcome) -> [String] {
    entries.filter { $0.outcome == outcome }.map(\.key)
  }
}

/// What an export has, and what it could not have.
public struct ExportReport: Hashable, Sendable {
  /// An item that is not in the export.
  public struct LeftOut: Hashable, Sendable {
    /// The item, as it is in the vault.
    public let item: SecretItem
    /// Why it is not in the export, as a sentence for a person.
    public let reason: String
  }

  /// The items that are in the export, as they are in the vault, the oldest first.
  public internal(set) var exported: [SecretItem] = []
  /// The items that are not, the oldest first.
  public internal(set) var leftOut: [LeftOut] = []
}

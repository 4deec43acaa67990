/// What becomes of an item of the vault where an import has another one of the same identity.
public enum ImportConflicts: Hashable, Sendable {
  /// The vault's item stays.
  case keepExisting
  /// The import's item takes its place: secret, attributes, access control and dates.
  case replace
}

public import SecretStorage

/// The secrets of another program, read and decrypted without changing the source.
///
/// They are read by ``keychainExport(at:passphrase:)``,
/// ``cryptFile(at:passphrase:skippingUnreadable:reporting:)``,
/// ``libsecretKeyring(at:passphrase:skippingUnreadable:)`` or ``environmentFile(at:service:)``, or
/// made by the app, and written by ``migrate(to:conflicts:isDryRun:removingSource:reporting:)``.
/// The decrypted secrets are in protected memory, but reading them also uses ordinary memory.
public struct ForeignSecrets: Sendable {
  /// A secret of the source that cannot be read.
  public struct Unreadable: Hashable, Sendable {
    /// The position in the source.
    public let place: String
    /// The reason, as a sentence for a person.
    public let reason: String

    /// Makes a description of a secret that cannot be read.
    public init(place: String, reason: String) {
      self.place = place
      self.reason = reason
    }
  }

  /// The secrets, in the order of writing: the oldest first, if the source has dates.
  public let secrets: [ForeignSecret]
  /// The secrets that were skipped.
  public let unreadable: [Unreadable]
  /// The file that can be removed after its secrets have been migrated.
  let file: SourceFile?

  /// Collects secrets that the app read itself, without a source to remove.
  public init(_ secrets: [ForeignSecret], unreadable: [Unreadable] = []) {
    self.init(secrets, unreadable: unreadable, file: nil)
  }

  init(_ secrets: [ForeignSecret], unreadable: [Unreadable] = [], file: SourceFile?) {
    self.secrets = secrets
    self.unreadable = unreadable
    self.file = file
  }
}

extension ForeignSecrets {
  /// The maximum number of secrets in a file; each needs far more memory than its size there.
  static let countLimit = 100_000

  static func checkCount(_ count: Int, of path: String) throws(MigrationError) {
    if count > countLimit {
      throw .unsupported(path: path, reason: "it has more than \(countLimit) secrets")
    }
  }
}

extension ForeignSecrets: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension ForeignSecrets {
  /// Writes the secrets to a store.
  ///
  /// It adds a secret whose identity is not in the store. Each written secret is read back and
  /// compared. If the work ends early, by an error or because the process is killed, the migrated
  /// secrets stay; a new migration reports them as `identical` and continues without duplicates.
  /// Other writers may use the store meanwhile.
  ///
  /// Two items are identical when their secrets and attributes are equal. A stored item that needs
  /// a proof cannot be read, so it is never identical. A secret that the store does not accept, for
  /// example because of access flags that it does not support, is `refused`, with the reason, and
  /// the migration continues.
  ///
  /// With `removingSource`, the source's file is removed at the end if every secret is in the store
  /// unchanged, as a last read confirms, a `SecretVault` passes its verification, and the file has
  /// not changed since it was read. Otherwise the file stays, and the report says so. Removing a
  /// file does not erase it from the medium or from backups.
  ///
  /// - Parameters:
  ///   - store: The destination, such as a `SecretVault`.
  ///   - conflicts: The treatment of a stored item whose content differs from the source.
  ///   - isDryRun: Whether to change nothing, and to report the expected outcomes. It knows the
  ///     limits of a vault; another store may still refuse a secret.
  ///   - removingSource: Whether to remove the source's file after a complete migration.
  ///   - report: Called on this thread with a count after each secret; it may cancel the work.
  /// - Returns: The outcome, or expected outcome, of each secret.
  /// - Throws: ``MigrationError/notRemovable(path:reason:)`` before any write, when the source
  ///   cannot be removed as requested; ``MigrationError/store(_:)`` when the store is locked,
  ///   damaged or cannot be written; ``MigrationError/notReadBack(place:)``;
  ///   ``MigrationError/cancelled``.
  @discardableResult
  public func migrate(
    to store: any SecretStore, conflicts: ImportConflicts = .keepExisting, isDryRun: Bool = false,
    removingSource: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> MigrationReport {
    if removingSource {
      guard let file else {
        throw MigrationError.invalid("These secrets are not from a file that could be removed")
      }
      try file.checkRemovable()
    }
    var work = StoreMigration(to: store, conflicts, isDryRun: isDryRun)
    let total = secrets.count
    try checkProgress(0, of: total, report)
    for (index, foreign) in secrets.enumerated() {
      try work.migrate(foreign)
      try checkProgress(index + 1, of: total, report)
    }
    work.report.unreadable = unreadable
    if removingSource, !isDryRun, let file, try work.holds(self) {
      try file.remove()
      work.report.isSourceRemoved = true
    }
    return work.report
  }
}

/// Reports the progress; throws if the handler cancels the work.
func checkProgress(
  _ completed: Int, of total: Int, _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
) throws(MigrationError) {
  if report(MaintenanceProgress(completed: completed, total: total)) == .cancel { throw .cancelled }
}

/// A secret of another program, with its identity and attributes for a store.
public struct ForeignSecret: Hashable, Sendable {
  /// The position in the source, such as `line 3`, without a name or a secret.
  public let place: String
  /// The identity of the secret in a store.
  public let identity: ItemIdentity
  /// The attributes of the secret.
  public let attributes: ItemAttributes
  /// The secret itself.
  public let secret: Secret

  /// Makes a secret of a source.
  public init(
    place: String, identity: ItemIdentity, attributes: ItemAttributes = ItemAttributes(),
    secret: Secret
  ) {
    self.place = place
    self.identity = identity
    self.attributes = attributes
    self.secret = secret
  }

  /// Feeds the identity to the hasher, so that a hash reveals nothing about the secret.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
  }
}

extension ForeignSecret: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

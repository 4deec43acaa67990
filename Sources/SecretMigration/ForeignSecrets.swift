public import SecretStorage

/// The decrypted secrets of another program.
///
/// To read them from a file, which is not changed, use ``keychainExport(at:passphrase:)``,
/// ``libsecretKeyring(at:passphrase:skippingUnreadable:)`` or ``environmentFile(at:service:)``. To
/// write them to a store, use ``migrate(to:replacing:isDryRun:removingSource:reporting:)``. The
/// secrets are held in protected memory, but reading them also uses unprotected memory.
public struct ForeignSecrets: Sendable, CustomReflectable {
  /// A secret of the source that could not be read.
  public struct Unreadable: Hashable, Sendable {
    /// The position in the source, such as `line 3`.
    public let position: String
    /// The reason, as a sentence to show to the user.
    public let reason: String

    /// Creates a description of a secret that could not be read.
    public init(position: String, reason: String) {
      self.position = position
      self.reason = reason
    }
  }

  /// The secrets in the order of migration: the oldest first, if the source has dates.
  public let secrets: [ForeignSecret]
  /// The secrets that were skipped.
  public let unreadable: [Unreadable]
  /// The file of the source; nil if the app has read the secrets itself.
  let file: SourceFile?
}

extension ForeignSecrets {
  /// Creates a collection of secrets that the app has read itself.
  public init(_ secrets: [ForeignSecret], unreadable: [Unreadable] = []) {
    self.init(secrets: secrets, unreadable: unreadable, file: nil)
  }

  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  /// The maximum number of secrets in a file; each one uses far more memory than in the file.
  static let countLimit = 100_000

  static func checkCount(_ count: Int, of path: String) throws(MigrationError) {
    if count > countLimit {
      throw .unsupported(path: path, reason: "it has more than \(countLimit) secrets")
    }
  }

  /// Writes the secrets to a store.
  ///
  /// Each written secret is read back and compared. If the migration fails or the process is
  /// killed, the secrets migrated so far stay in the store; a new migration reports them as
  /// `identical` and adds the others. Other writers may use the store at the same time.
  ///
  /// A stored item is identical if its secret and attributes equal those of the source, and it
  /// requires no authentication. A secret that the store rejects is `refused`, with the reason.
  ///
  /// With `removingSource`, the source file is removed at the end, provided that the store contains
  /// every secret unchanged, that a `SecretVault` passes verification, and that the file has not
  /// changed since it was read. This does not erase it from the storage medium or from backups.
  ///
  /// - Parameters:
  ///   - store: The destination, such as a `SecretVault`.
  ///   - replacing: Whether to replace a stored item that differs from the source.
  ///   - isDryRun: Whether to report expected outcomes, with a vault's limits, but change nothing.
  ///   - removingSource: Whether to remove the source file after a complete migration.
  ///   - report: A closure called after each secret on the calling thread; it can cancel the run.
  /// - Returns: The outcome, or expected outcome, of each secret.
  /// - Throws: ``MigrationError/notRemovable(path:reason:)`` if `removingSource` is true and the
  ///   source cannot be removed; ``MigrationError/store(_:)`` if the store is locked or damaged, or
  ///   cannot be written; ``MigrationError/notReadBack(position:)``; ``MigrationError/cancelled``.
  @discardableResult
  public func migrate(
    to store: any SecretStore, replacing: Bool = false, isDryRun: Bool = false,
    removingSource: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ImportReport {
    if removingSource {
      guard let file else {
        throw MigrationError.invalid(
          "The secrets were not read from a file, so no source can be removed")
      }
      try file.checkRemovable()
    }
    var work = StoreMigration(store: store, isReplacing: replacing, isDryRun: isDryRun)
    func checkProgress() throws(MigrationError) {
      do throws(SecretStoreError) {
        try MaintenanceProgress(completed: work.report.entries.count, total: secrets.count)
          .report(to: report)
      } catch {
        throw error == .cancelled ? .cancelled : .store(error)
      }
    }
    try checkProgress()
    for foreign in secrets {
      let outcome = try work.migrate(foreign)
      work.report.entries.append(ImportReport.Entry(foreign.identity, outcome))
      try checkProgress()
    }
    if removingSource, !isDryRun, let file, try work.storeContainsAll(of: self) {
      try file.remove()
      work.report.isSourceRemoved = true
    }
    return work.report
  }
}

/// A secret of another program, with its identity and attributes for a store.
public struct ForeignSecret: Hashable, Sendable, CustomReflectable {
  /// The position in the source, such as `line 3`; it contains neither a name nor a secret.
  public let position: String
  /// The identity of the item in a store.
  public let identity: ItemIdentity
  /// The attributes of the item in a store.
  public let attributes: ItemAttributes
  /// The secret itself.
  public let secret: Secret

  /// Creates a secret that was read from another program.
  public init(
    position: String, identity: ItemIdentity, attributes: ItemAttributes = ItemAttributes(),
    secret: Secret
  ) {
    self.position = position
    self.identity = identity
    self.attributes = attributes
    self.secret = secret
  }

  /// Hashes only the identity, so that the hash value reveals nothing about the secret.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

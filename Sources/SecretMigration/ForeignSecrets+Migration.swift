public import SecretStorage

extension ForeignSecrets {
  /// Writes the secrets to a store.
  ///
  /// A secret whose identity the store does not have is added. Each one that was written is read back
  /// and compared. When the work ends early, by an error or because the process is killed, what was
  /// migrated stays; migrating again finds it `identical` and goes on, without duplicates. Others may
  /// use the store meanwhile.
  ///
  /// Two items are identical when their secrets and attributes are the same. An item of the store that
  /// asks for a proof cannot be looked into, so that it is never identical. What the store does not take,
  /// such as access flags that it cannot honour, is `refused`, with the reason, and the rest goes on.
  ///
  /// With `removingSource`, the source's file is removed at the end if nothing of it is left there
  /// alone: every secret is in the store, unchanged, as a last reading finds, a `SecretVault` has been
  /// verified, and the file is still the one that was read. Otherwise the file stays, and the report
  /// says so. Removing a file does not erase it from the medium or from backups.
  ///
  /// - Parameters:
  ///   - store: Where the secrets go, such as a `SecretVault`.
  ///   - conflicts: What becomes of an item of the store that the source has with another content.
  ///   - isDryRun: Whether to change nothing, and to report what would be done. The limits of a vault are
  ///     known then; another store may still refuse something.
  ///   - removingSource: Whether to remove the source's file when it is not needed any more.
  ///   - report: Called on this thread with the number of secrets that are done, after each; it may end the
  ///     work.
  /// - Returns: What became of each secret, or would become.
  /// - Throws: ``MigrationError/notRemovable(path:reason:)`` before anything is written, when removing is
  ///   asked for and cannot be done; ``MigrationError/store(_:)`` when the store is locked, damaged or
  ///   cannot be written; ``MigrationError/notReadBack(place:)``; ``MigrationError/cancelled``.
  @discardableResult
  public func migrate(
    to store: any SecretStore, conflicts: ImportConflicts = .keepExisting, isDryRun: Bool = false,
    removingSource: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(MigrationError) -> MigrationReport {
    if removingSource {
      guard let file else {
        throw .invalid("These secrets are not from a file that could be removed")
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

/// Tells of progress; throws when that decides to end the work.
func checkProgress(
  _ completed: Int, of total: Int, _ report: (UpkeepProgress) -> UpkeepProgress.Decision
) throws(MigrationError) {
  if report(UpkeepProgress(completed: completed, total: total)) == .cancel { throw .cancelled }
}

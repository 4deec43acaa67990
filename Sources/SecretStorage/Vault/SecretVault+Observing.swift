import StorageInternals

extension SecretVault: PromptlyObservedStore {
  /// Calls a handler after each change of the vault, made by this object or by another process.
  ///
  /// It runs on a thread of this object, one call at a time, and may use the vault. Several changes
  /// may end in one call. Locking and unlocking are changes. A forked child begins without
  /// handlers; those that it adds run within the call that makes the change, and must not use the
  /// vault.
  ///
  /// Changes of other processes are heard through inotify. Where the kernel refuses that, only this
  /// object's changes are heard, and ``SecretStorage/onFailure`` is told why. So it is in a forked
  /// child.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    watching(observers.add(handler))
  }

  package var lockCount: UInt64 { contents.withLock { $0.lockings } }

  package func observeChangesPromptly(
    _ handler: @escaping @Sendable () -> Void
  ) -> ChangeObservation {
    watching(observers.addPrompt(handler))
  }

  /// Watches the file for as long as an observation.
  private func watching(_ observation: ChangeObservation) -> ChangeObservation {
    if let error = SecretStoreError.needsThreads("To hear of the changes of other processes") {
      tell(PasswordFailure(.upkeep, error))
      return observation
    }
    var watch: ChangeObservation?
    reportingFailure { () throws(SecretStoreError) in
      watch = try parts.log.observe { [weak self] in self?.hearOfChange() }
    }
    return ChangeObservation { [watch] in withExtendedLifetime((observation, watch)) {} }
  }

  /// Tells the observers of the newest contents.
  func announce() {
    contents.withLock { $0.announced = $0.generation }
    observers.notify()
  }

  /// Something happened to the file: what this object did itself is announced already, but not what
  /// a reader has met before.
  private func hearOfChange() {
    do {
      let isNews = try withContents { contents throws(SecretStoreError) in
        contents.generation != contents.announced
      }
      if isNews { announce() }
    } catch {
      // Who reads next meets the same error.
      observers.notify()
    }
  }
}

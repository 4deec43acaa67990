import StorageInternals

extension SecretVault {
  /// Calls a handler after each change of the vault, made by this object or by another process.
  ///
  /// Changes of other processes are heard through inotify. Where the kernel refuses that, only this
  /// object's changes are heard, and ``SecretStorage/onFailure`` is told why.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    let observation = observers.add(handler)
    let watch: ChangeObservation?
    do {
      watch = try parts.log.observe { [weak self] in self?.hearOfChange() }
    } catch {
      SecretStorage.onFailure(PasswordFailure(.upkeep, error))
      watch = nil
    }
    return ChangeObservation { withExtendedLifetime((observation, watch)) {} }
  }

  /// Something happened to the file: what this object did itself is known already.
  private func hearOfChange() {
    let before = contents.withLock { $0.generation }
    do {
      if try revision() != StoreRevision(before) { observers.notify() }
    } catch {
      // Who reads next meets the same error.
      observers.notify()
    }
  }
}

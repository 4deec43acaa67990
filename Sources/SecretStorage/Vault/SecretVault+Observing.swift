import Concurrency
import StorageInternals

extension SecretVault: PromptlyObservedStore {
  /// Calls a handler after each change of the vault, made by this object or by another process.
  ///
  /// The handler runs on a thread of this object, one call at a time, and may use the vault.
  /// Several changes may be coalesced into one call. Locking and unlocking count as changes. A
  /// forked child starts without handlers; handlers added there run within the call that makes the
  /// change, and must not use the vault.
  ///
  /// Changes of other processes are detected with inotify. If the kernel refuses that, they are
  /// detected within a second, and ``SecretStores/onFailure`` gets the reason. In a forked child,
  /// only this object's changes are detected.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    watching(observers.add(handler))
  }

  package func reportDelayedChanges() {
    if fileWatch.withLock({ $0.watch })?.problem != nil { fileDidChange() }
  }

  /// The reason why changes of other processes are, or would be, detected with a delay.
  var watchProblem: SecretStoreError? {
    if let watch = fileWatch.withLock({ $0.watch }) { return watch.problem }
    return Inotify.problem.map(SecretStoreError.init)
  }

  package var lockCount: UInt64 { contents.withLock { $0.lockings } }

  package func observeChangesPromptly(
    _ handler: @escaping @Sendable () -> Void
  ) -> ChangeObservation {
    watching(observers.addPrompt(handler))
  }

  /// Returns an observation that also watches the file.
  private func watching(_ observation: ChangeObservation) -> ChangeObservation {
    if let error = SecretStoreError.needsThreads("Detecting the changes of other processes") {
      report(SecretStorageFailure(.upkeep, error))
      return observation
    }
    var watch: ChangeObservation?
    reportingFailure { () throws(SecretStoreError) in watch = try watchFile() }
    if let problem = watch?.problem { report(SecretStorageFailure(.upkeep, problem)) }
    let kept = Lock(watch)
    return ChangeObservation {
      observation.cancel()
      // Released outside of the lock: the last one ends the watch.
      _ = kept.withLock { $0.take() }
    }
  }

  /// Returns the watch that all observations share.
  private func watchFile() throws(SecretStoreError) -> ChangeObservation {
    try fileWatch.withLock { shared throws(SecretStoreError) in
      if let watch = shared.watch { return watch }
      let watch = try parts.log.observe { [weak self] in self?.fileDidChange() }
      shared.watch = watch
      return watch
    }
  }

  /// Notifies the observers of the newest contents.
  func announce() {
    contents.withLock { $0.announced = $0.generation }
    observers.notify()
  }

  /// Handles an event of the file: this object's own changes are already announced, but changes
  /// that a reader loaded first are not.
  private func fileDidChange() {
    do {
      let hasChanged = try withContents { contents throws(SecretStoreError) in
        contents.generation != contents.announced
      }
      if hasChanged { announce() }
    } catch {
      // The next reader gets the same error.
      observers.notify()
    }
  }
}

/// The watch of a vault's file, while there are observers.
struct SharedWatch: Sendable {
  weak var watch: ChangeObservation?
}

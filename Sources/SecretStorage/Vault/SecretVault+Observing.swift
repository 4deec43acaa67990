import Concurrency
import StorageInternals

// Observing the vault: notifying observers, and watching the file for changes by other processes.
extension SecretVault: SynchronouslyObservedStore {
  /// Calls a handler after each change to the vault, by this object or by another process.
  ///
  /// The handler runs on a thread of the library, one call at a time, and may use the vault. If it
  /// blocks, it delays only the handlers of this object. Locking and unlocking also count as
  /// changes. Several changes may cause one call. Changes by other processes are detected with
  /// inotify; if it fails, within a second, and ``SecretStores/onFailure`` receives the reason.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    retainingWatch(observers.add(handler))
  }

  package func isUnchanged(since revision: StoreRevision) throws(SecretStoreError) -> Bool {
    try read { contents in
      contents.session.idle?.recordUse()
      return contents.revision == revision
    }
  }

  /// Notifies the observers of changes by other processes if the watch detects them with a delay.
  func reportDelayedChanges() {
    if fileWatch.withLock({ $0.watch })?.problem != nil { fileDidChange() }
  }

  /// The reason why changes by other processes are detected with a delay; nil if they are not.
  var watchProblem: SecretStoreError? {
    if let watch = fileWatch.withLock({ $0.watch }) { return watch.problem }
    return Inotify.problem.map(SecretStoreError.init)
  }

  package var lockCount: UInt64 { contents.withLock { $0.session.lockCount } }

  package func observeChangesSynchronously(
    _ handler: @escaping @Sendable () -> Void
  ) -> ChangeObservation {
    retainingWatch(observers.add(handler, isSynchronous: true))
  }

  /// Returns an observation that also retains the watch of the file, which all observations share.
  private func retainingWatch(_ observation: ChangeObservation) -> ChangeObservation {
    if Fork.isChild { return observation }
    var watch: ChangeObservation?
    reportingFailure { () throws(SecretStoreError) in
      watch = try fileWatch.withLock { shared throws(SecretStoreError) in
        if let watch = shared.watch { return watch }
        let watch = try location.log.observe { [weak self] in self?.fileDidChange() }
        shared.watch = watch
        return watch
      }
      if let problem = watch?.problem { throw problem }
    }
    let retainedWatch = Lock(watch)
    return ChangeObservation {
      observation.cancel()
      // The watch is released outside the lock, because the last release ends it.
      _ = retainedWatch.withLock { $0.take() }
    }
  }

  func notifyObservers() {
    let changeCount = contents.withLock { $0.session.changeCount }
    observers.notify()
    // The count is set after the calls, so that another thread does not skip calls not made yet.
    contents.withLock {
      $0.session.notifiedChangeCount = max($0.session.notifiedChangeCount, changeCount)
    }
  }

  /// Notifies the observers after a file event, unless they were already notified of the contents.
  private func fileDidChange() {
    do {
      let (count, notified) = try withContents {
        ($0.session.changeCount, $0.session.notifiedChangeCount)
      }
      if count != notified { notifyObservers() }
    } catch {
      // The observers receive the error when they read the vault.
      observers.notify()
    }
  }
}

/// The watch of a vault's file, which the observations keep alive.
struct SharedWatch: Sendable {
  weak var watch: ChangeObservation?
}

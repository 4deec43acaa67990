import Concurrency
import StorageInternals

extension DirectorySecretStore {
  /// Calls a handler after each change to the files, on a thread of the store.
  ///
  /// Several changes may be coalesced into one call. Changes are detected with inotify or, if that
  /// is not available, within a second, and ``SecretStores/onFailure`` receives the reason. A
  /// forked child detects changes only when it reads.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    watching(observers.add(handler))
  }

  package func observeChangesSynchronously(
    _ handler: @escaping @Sendable () -> Void
  ) -> ChangeObservation { watching(observers.addSynchronous(handler)) }

  package func reportDelayedChanges() {
    if sharedWatch.current?.problem != nil { _ = notifyIfChanged() }
  }

  /// Returns an observation that also keeps the watch of the directory alive.
  private func watching(_ observation: ChangeObservation) -> ChangeObservation {
    guard let path = directory.path else { return observation }
    if let error = SecretStoreError.needsThreads("Detecting changes by other processes") {
      SecretStores.reportInForkedChild(SecretStorageFailure(.maintenance, error))
      return observation
    }
    return sharedWatch.retained(by: observation) {
      let watch = DirectoryWatch(path) { [weak self] in self?.notifyIfChanged() ?? [] }
      watch.check()
      if let problem = watch.problem {
        SecretStores.onFailure(SecretStorageFailure(.maintenance, problem))
      }
      return ChangeObservation(problem: { watch.problem }) { watch.stop() }
    }
  }

  /// Searches the directory, notifies the observers if it has changed since they were notified, and
  /// returns the paths of subdirectories.
  private func notifyIfChanged() -> [String] {
    var subdirectories: [String] = []
    let result: Result<UInt64, SecretStoreError>
    do throws(SecretStoreError) {
      let found = try currentRevision()
      subdirectories = found.subdirectories
      result = .success(found.number)
    } catch {
      // The observers receive the error when they read the store.
      result = .failure(error)
    }
    let isNew = notifiedResult.withLock { notified in
      defer { notified = result }
      return notified != nil && notified != result
    }
    if isNew { observers.notify() }
    return subdirectories
  }
}

/// The watches of a directory and of its subdirectories.
private final class DirectoryWatch: Sendable {
  private struct State: Sendable {
    var watches: [String: PathWatch] = [:]
    var problem: SystemError?
    var isStopped = false
  }

  private let path: String
  private let search: @Sendable () -> [String]
  private let state = Lock(State(), inForkedChild: { State() })

  /// Begins to watch; `search` handles a change, and returns the subdirectories to watch.
  init(_ path: String, search: @escaping @Sendable () -> [String]) {
    self.path = path
    self.search = search
    watch([])
  }

  /// The reason why changes are detected with a delay; nil without a delay.
  var problem: SecretStoreError? {
    let (failure, watches) = state.withLock { ($0.problem, Array($0.watches.values)) }
    return (failure ?? watches.lazy.compactMap(\.problem).first).map(SecretStoreError.init)
  }

  func stop() {
    let watches = state.withLock { state in
      state.isStopped = true
      defer { state.watches = [:] }
      return state.watches
    }
    for watch in watches.values { watch.stop() }
  }

  /// Handles a possible change, and watches the subdirectories that there are now.
  ///
  /// A file may be added to a new subdirectory before that is watched, so a new watch makes another
  /// search necessary.
  func check() {
    for _ in 0..<8 {
      if !watch(search()) { return }
    }
  }

  /// Watches the directory and the named subdirectories; returns whether one is new.
  @discardableResult
  private func watch(_ names: [String]) -> Bool {
    let paths = [path] + names.map { "\(path)/\($0)" }
    let missing = state.withLock { state in
      state.watches = state.watches.filter { paths.contains($0.key) }
      return state.isStopped ? [] : paths.filter { state.watches[$0] == nil }
    }
    for path in missing {
      do throws(SystemError) {
        let new = try PathWatch(path: path, entries: true) { [weak self] in self?.check() }
        state.withLock { if !$0.isStopped { $0.watches[path] = new } }
      } catch {
        state.withLock { $0.problem = error }
      }
    }
    return !missing.isEmpty
  }
}

import Concurrency
import StorageInternals

// Stale temporary files do no harm, so a failure to find or remove them is not reported. The next
// update retries.

extension FileBackend {
  /// Removes the temporary files of killed writers, unless this was done before.
  func removeStaleFilesOnce(_ scope: borrowing FileLockScope) {
    if state.withLock({ $0.hasRemovedStaleFiles }) { return }
    do throws(SystemError) {
      try fileSystem.removeLeftovers(of: scope.target, holding: scope.lock)
      state.withLock { $0.hasRemovedStaleFiles = true }
    } catch {
      // Not reported, see above.
    }
  }

  /// Removes the temporary files of killed writers at the first read, if the lock is free.
  ///
  /// A read never waits for a writer, and a running writer removes its own files.
  func removeStaleFilesIfFree() {
    let isDone = state.withLock { state in
      defer { state.hasLookedForStaleFiles = true }
      return state.hasLookedForStaleFiles || state.hasRemovedStaleFiles
    }
    if isDone { return }
    do throws(SystemError) {
      let target = try fileSystem.resolve(path)
      guard try fileSystem.hasLeftovers(of: target),
        let lock = try FileLock.ifFree(at: FileLockScope.lockPath(for: target), in: fileSystem)
      else { return }
      removeStaleFilesOnce(FileLockScope(target: target, lock: lock))
    } catch {
      // Not reported, see above.
    }
  }
}

import StorageInternals

// Litter is in nobody's way: that it cannot be looked for, or removed, is no failure of what the
// backend was asked for, and is tried again at the next update.

extension FileBackend {
  /// Removes what killed writers left, at the first update.
  func sweepOnce(_ turn: borrowing FileTurn, _ state: inout FileBackendState) {
    if state.isSwept { return }
    do throws(SystemError) {
      try fileSystem.removeLeftovers(of: turn.target, holding: turn.lock)
      state.isSwept = true
    } catch {
      // See above.
    }
  }

  /// Removes what killed writers left, if there is something at the first reading.
  ///
  /// Reading waits for nobody: a writer that is just at work sees to it.
  func sweepIfLittered(_ state: inout FileBackendState) {
    if state.hasLookedForLitter || state.isSwept { return }
    state.hasLookedForLitter = true
    do throws(SystemError) {
      let target = try fileSystem.resolve(path).path
      guard try fileSystem.hasLeftovers(of: target),
        let lock = try FileLock.ifFree(at: FileTurn.lockPath(for: target), in: fileSystem)
      else { return }
      sweepOnce(FileTurn(target: target, lock: lock), &state)
    } catch {
      // See above.
    }
  }
}

import StorageInternals

// Litter does no harm: failing to look for it, or to remove it, is no failure of what the backend
// was asked for, and is tried again at the next update.

extension FileBackend {
  /// Removes what killed writers left, at the first update.
  func sweepOnce(_ turn: borrowing FileTurn) {
    if withState({ $0.isSwept }) { return }
    do throws(SystemError) {
      try fileSystem.removeLeftovers(of: turn.target, holding: turn.lock)
      withState { $0.isSwept = true }
    } catch {
      // See above.
    }
  }

  /// Removes what killed writers left, if there is something at the first reading.
  ///
  /// Reading waits for no writer: one that is at work removes it itself.
  func sweepIfLittered() {
    let isDone = withState { state in
      defer { state.hasLookedForLitter = true }
      return state.hasLookedForLitter || state.isSwept
    }
    if isDone { return }
    do throws(SystemError) {
      let target = try fileSystem.resolve(path).path
      guard try fileSystem.hasLeftovers(of: target),
        let lock = try FileLock.ifFree(at: FileTurn.lockPath(for: target), in: fileSystem)
      else { return }
      sweepOnce(FileTurn(target: target, lock: lock))
    } catch {
      // See above.
    }
  }
}

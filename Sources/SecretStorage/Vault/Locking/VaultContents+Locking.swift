extension VaultContents {
  /// Removes the keys from memory, except those that may stay until the process ends.
  mutating func lock() {
    keys.isLockedByApp = true
    keys.ring.lock()
    keys.pendingRing = nil
    recordKeys = [:]
    idle?.stop()
    generation += 1
    cipher.eraseKeys()
  }

  /// Locks the vault if the idle period is over, and returns whether it did.
  mutating func lockIfIdle() -> Bool {
    guard idle?.isOver == true else { return false }
    lock()
    return true
  }

  /// Starts the idle period if the user key is in memory.
  mutating func beginIdlePeriod() {
    if keys.ring.user != nil { idle?.begin() }
  }
}

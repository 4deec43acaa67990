import Concurrency
import StorageInternals

extension SecretVault {
  /// When the vault locks by itself; the newest setting counts.
  ///
  /// It holds for this object and does not keep it alive. When the setting is made, the time
  /// without use begins, and a signal that is sent from then on is not missed. Locking is what
  /// ``lock()`` does; an app that learns otherwise that it should lock, such as by `PrepareForSleep` of
  /// systemd-logind, calls that.
  ///
  /// In a forked child, the vault begins without the setting of its parent. What is set there locks
  /// at the first access after the idle time, and at no signal, of which
  /// ``SecretStorage/onFailure`` tells.
  ///
  /// It is a programming error to name a signal that cannot be caught, such as SIGKILL, or that
  /// tells of an error of a thread, such as SIGSEGV or SIGPIPE.
  public var automaticLocking: AutomaticLocking {
    get { automaticLockingState.withLock { $0.setting } }
    set { lock(newValue) { .now } }
  }

  /// Locks by itself from now on, by a clock.
  func lock(
    _ setting: AutomaticLocking, by now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    let isLocked = automaticLockingState.withLock { state in
      state.setting = setting
      let signals = Fork.isChild ? [] : setting.allSignals
      state.observations = signals.map { number in
        SignalSource.of(number).observe { [weak self] in self?.lock() }
      }
      let idle = setting.afterIdle.map { limit in
        IdlePeriod(limit, now: now) { [weak self] in self?.lockIfIdle() }
      }
      return contents.withLock { contents in
        // The time of the setting before may be over, without an access that found it so.
        let isLocked = contents.lockIfIdle()
        contents.idle = idle
        contents.beginIdlePeriod()
        return isLocked
      }
    }
    if isLocked { announce() }
    if Fork.isChild, setting != AutomaticLocking() {
      tell(
        PasswordFailure(
          .upkeep,
          .unavailable(
            """
            A forked child has no threads that wait for timers and signals. The vault locks at the \
            first access after its idle time, and at no signal.
            """)))
    }
  }

  /// A timer says that the vault may have been idle for long enough.
  private func lockIfIdle() {
    let isLocked = contents.withLock { contents in
      let isLocked = contents.lockIfIdle()
      if !isLocked { contents.idle?.waitForRest() }
      return isLocked
    }
    if isLocked { announce() }
  }
}

/// What a vault does to lock by itself, beside the period that its contents have.
struct AutomaticLockingState: Sendable {
  var setting = AutomaticLocking()
  var observations: [ChangeObservation] = []
}

extension VaultContents {
  /// Takes the keys out of memory, but those that stay until the process ends.
  mutating func lock() {
    keys.isLockedByApp = true
    keys.ring.lock()
    keys.coming = nil
    recordKeys = [:]
    idle?.stop()
    generation += 1
    cipher.forgetKeys()
  }

  /// Locks when the vault was not used for long enough, and says whether it did.
  mutating func lockIfIdle() -> Bool {
    guard idle?.isOver == true else { return false }
    lock()
    return true
  }

  /// Begins to wait for uses once there is something to lock.
  mutating func beginIdlePeriod() {
    if keys.ring.user != nil { idle?.begin() }
  }
}

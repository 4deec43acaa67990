import Concurrency

extension SecretVault {
  /// The conditions under which the vault locks automatically; the newest setting counts.
  ///
  /// The setting holds for this object and does not keep it alive. Setting it starts the idle time,
  /// and no later signal is missed. Locking has the effect of ``lock()``; an app that detects
  /// another reason to lock, such as `PrepareForSleep` of systemd-logind, calls that method.
  ///
  /// In a forked child, the vault starts without the setting of its parent. A setting made there
  /// locks at the first access after the idle time and at no signal; ``SecretStores/onFailure``
  /// reports this.
  ///
  /// It is a programming error to name a signal that cannot be caught, such as SIGKILL, or that
  /// reports an error of a thread, such as SIGSEGV or SIGPIPE.
  public var automaticLocking: AutomaticLocking {
    get { automaticLockingState.withLock { $0.setting } }
    set { lock(newValue) { .now } }
  }

  /// Applies a setting, and measures the idle time with a clock.
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
        // The idle time of the previous setting may be over without an access that noticed it.
        let isLocked = contents.lockIfIdle()
        contents.idle = idle
        contents.beginIdlePeriod()
        return isLocked
      }
    }
    if isLocked { notifyObservers() }
    if Fork.isChild, setting != AutomaticLocking() {
      report(
        PasswordFailure(
          .maintenance,
          .unavailable(
            """
            A forked child has no threads that wait for timers and signals. The vault locks at the \
            first access after its idle time, and at no signal.
            """)))
    }
  }

  /// Locks the vault if its idle time is over; the timer may call this early.
  private func lockIfIdle() {
    let isLocked = contents.withLock { contents in
      let isLocked = contents.lockIfIdle()
      if !isLocked { contents.idle?.waitForRest() }
      return isLocked
    }
    if isLocked { notifyObservers() }
  }
}

/// The automatic locking of a vault, except the idle period, which its contents hold.
struct AutomaticLockingState: Sendable {
  var setting = AutomaticLocking()
  var observations: [ChangeObservation] = []
}

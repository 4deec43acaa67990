import CLibrary
import Concurrency

// Locking when idle, before a suspension, and by signals.
extension SecretVault {
  /// The conditions under which this object locks the vault automatically, as by ``lock()``.
  ///
  /// A new setting starts the idle time, and misses no later signal. For other events, such as
  /// `PrepareForSleep` of systemd-logind, an app can call ``lock()`` itself.
  ///
  /// - Precondition: Every signal can be caught and reports no fault, unlike SIGKILL, SIGSEGV and
  ///   SIGPIPE.
  public var automaticLocking: AutomaticLocking {
    get { Fork.isChild ? AutomaticLocking() : automaticLockingState.withLock { $0.setting } }
    set {
      if Fork.isChild { return Fork.report() }
      apply(newValue) { .now }
    }
  }

  func apply(
    _ setting: AutomaticLocking, clock now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    // The idle time of the previous setting may already have elapsed.
    lockIfIdle()
    automaticLockingState.withLock { state in
      state.setting = setting
      state.observations = setting.allSignals.map { number in
        SignalSource.observe(number) { [weak self] in self?.lock() }
      }
      let idle = setting.afterIdle.map { limit in
        IdlePeriod(limit, now: now) { [weak self] in self?.lockIfIdle() }
      }
      contents.withLock { contents in
        contents.session.idle = idle
        contents.beginIdlePeriod()
      }
    }
  }

  private func lockIfIdle() {
    let isLocked = contents.withLock { contents in
      let isLocked = contents.lockIfIdle()
      if !isLocked { contents.session.idle?.rescheduleTimer() }
      return isLocked
    }
    if isLocked { notifyObservers() }
  }
}

/// The conditions under which a vault locks automatically.
///
/// ```swift
/// vault.automaticLocking = AutomaticLocking(afterIdle: .seconds(300), whenSuspended: true)
/// ```
public struct AutomaticLocking: Hashable, Sendable {
  /// The idle time after which the vault locks; nil means no limit.
  ///
  /// Each read of a secret and each write through this object restarts the time. Searches and
  /// ``SecretVault/revision()`` do not, so that polling does not keep the vault unlocked. The sleep
  /// of the machine counts as idle.
  public var afterIdle: Duration?

  /// Whether the vault locks before SIGTSTP (Ctrl-Z in a terminal) stops the process; SIGSTOP
  /// cannot be caught.
  public var whenSuspended: Bool

  /// The signals that lock the vault, for example `[SIGUSR1]`.
  ///
  /// Their default actions are disabled until the process ends. SIGTSTP implies ``whenSuspended``.
  public var signals: Set<Int32>

  /// Creates a set of conditions.
  public init(
    afterIdle: Duration? = nil, whenSuspended: Bool = false, signals: Set<Int32> = []
  ) {
    self.afterIdle = afterIdle
    self.whenSuspended = whenSuspended
    self.signals = signals
  }

  var allSignals: Set<Int32> { whenSuspended ? signals.union([SIGTSTP]) : signals }
}

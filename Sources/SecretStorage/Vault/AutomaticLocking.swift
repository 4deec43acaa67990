#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// When a vault locks by itself; by default never.
///
/// ```swift
/// vault.automaticLocking = AutomaticLocking(afterIdle: .seconds(300), whenSuspended: true)
/// ```
public struct AutomaticLocking: Hashable, Sendable {
  /// How long the vault may stay unlocked without use; nil for as long as the app wants.
  ///
  /// A use is a secret that is read, or an item that is added, changed or removed, through the object
  /// that has the setting. Searches and ``SecretVault/revision()`` are none, or an app that polls
  /// would never lock. The time that the machine sleeps counts, and an access that comes too late
  /// meets a locked vault.
  public var afterIdle: Duration?

  /// Whether the vault locks before the process is stopped by SIGTSTP, which Ctrl-Z in a terminal
  /// sends.
  ///
  /// Nobody can catch SIGSTOP, and a machine that goes to sleep sends no signal.
  public var whenSuspended: Bool

  /// The numbers of the signals that lock the vault, such as `[SIGUSR1]`.
  ///
  /// From then on until the process ends, such a signal does nothing else in it, whatever its default
  /// effect is, even when it locks no vault any more. SIGTSTP means the same as ``whenSuspended``.
  public var signals: Set<Int32>

  /// Describes when a vault locks.
  public init(
    afterIdle: Duration? = nil, whenSuspended: Bool = false, signals: Set<Int32> = []
  ) {
    self.afterIdle = afterIdle
    self.whenSuspended = whenSuspended
    self.signals = signals
  }

  /// The signals to wait for.
  var allSignals: Set<Int32> { whenSuspended ? signals.union([SIGTSTP]) : signals }
}

import CLibrary

/// The conditions under which a vault locks automatically; by default none.
///
/// ```swift
/// vault.automaticLocking = AutomaticLocking(afterIdle: .seconds(300), whenSuspended: true)
/// ```
public struct AutomaticLocking: Hashable, Sendable {
  /// The longest time that the vault stays unlocked without use; nil for no limit.
  ///
  /// A use reads a secret, or adds, changes or removes an item, through the object that has the
  /// setting. Searches and ``SecretVault/revision()`` do not count, because an app that polls would
  /// never lock. The time that the machine sleeps counts, and an access after the limit finds the
  /// vault locked.
  public var afterIdle: Duration?

  /// Whether the vault locks before SIGTSTP, the signal of Ctrl-Z in a terminal, stops the process.
  ///
  /// SIGSTOP cannot be caught, and a machine that goes to sleep sends no signal.
  public var whenSuspended: Bool

  /// The numbers of the signals that lock the vault, such as `[SIGUSR1]`.
  ///
  /// From then on until the process ends, such a signal loses its default action, even when it no
  /// longer locks a vault. SIGTSTP means the same as ``whenSuspended``.
  public var signals: Set<Int32>

  /// Creates a setting.
  public init(
    afterIdle: Duration? = nil, whenSuspended: Bool = false, signals: Set<Int32> = []
  ) {
    self.afterIdle = afterIdle
    self.whenSuspended = whenSuspended
    self.signals = signals
  }

  /// All signals that lock the vault.
  var allSignals: Set<Int32> { whenSuspended ? signals.union([SIGTSTP]) : signals }
}

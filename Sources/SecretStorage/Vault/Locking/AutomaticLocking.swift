import CLibrary

/// The conditions under which a vault locks automatically.
///
/// ```swift
/// vault.automaticLocking = AutomaticLocking(afterIdle: .seconds(300), whenSuspended: true)
/// ```
public struct AutomaticLocking: Hashable, Sendable {
  /// The idle time after which the vault locks; nil means no limit.
  ///
  /// Reading a secret, and adding, changing or removing an item through this object restarts the
  /// idle time. Searches and ``SecretVault/revision()`` do not, so that an app that polls the vault
  /// does not keep it unlocked. The idle time includes the time that the machine is asleep.
  public var afterIdle: Duration?

  /// Whether the vault locks before SIGTSTP (Ctrl-Z in a terminal) stops the process.
  ///
  /// SIGSTOP cannot be caught, and a machine that goes to sleep sends no signal.
  public var whenSuspended: Bool

  /// The signals that lock the vault, for example `[SIGUSR1]`.
  ///
  /// These signals lose their default action until the process ends, even if the setting is
  /// changed. SIGTSTP has the same meaning as ``whenSuspended``.
  public var signals: Set<Int32>

  /// Creates a set of conditions.
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

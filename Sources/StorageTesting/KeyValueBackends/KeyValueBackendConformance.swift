public import KeyValueStorage
public import Testing

/// Checks that a `KeyValueBackend` follows the rules of its contract, for use in tests.
///
/// ```swift
/// let conformance = KeyValueBackendConformance("MyBackend") { try MyBackend(in: newDirectory()) }
///
/// @Test(arguments: conformance.checks)
/// func conforms(_ check: KeyValueBackendConformance.Check) async {
///   await conformance.run(check)
/// }
/// ```
///
/// Each check gets a new backend, so checks may run in parallel. The methods of a backend are
/// called on threads that they may block, also to wait for a task. Each violation of a rule is
/// recorded as an issue that names the backend, the operation and the expectation.
/// ``findings(of:)`` returns the violations instead.
public struct KeyValueBackendConformance: Sendable {
  /// Makes another backend on the storage of a backend.
  public typealias Reopening = @Sendable (any KeyValueBackend) throws -> any KeyValueBackend
  /// Damages the stored contents of a backend.
  public typealias Damage = @Sendable (any KeyValueBackend) throws -> Void
  /// Makes the storage of a backend inaccessible, and returns a closure that ends that.
  public typealias Interruption =
    @Sendable (any KeyValueBackend) throws -> @Sendable () throws -> Void

  private let name: String
  private let timeout: Duration
  private let notifiesOnce: Bool
  private let makeBackend: @Sendable () throws -> any KeyValueBackend
  private let reopen: Reopening?
  private let damage: Damage?
  private let interrupt: Interruption?

  /// Creates checks for the backends that a closure makes.
  ///
  /// - Parameters:
  ///   - name: The name of the backend in issues.
  ///   - timeout: The maximum time from a change to the end of its notification.
  ///   - notifiesOnce: Whether observers are notified at most once of each change. Pass false if
  ///     the system reports a change in several events, as it does for files. That rule is then
  ///     not checked.
  ///   - makeBackend: Makes a backend on new, empty storage.
  ///   - reopen: Makes another backend on the storage of a backend that `makeBackend` made, without
  ///     the memory of that one, as a process does after another has crashed. If it is nil, the
  ///     rules about durability and about the changes of other backends are not checked, and other
  ///     checks that involve two backends use the same one twice.
  ///   - damage: Makes the stored contents unreadable. If it is nil, that case is not checked.
  ///   - interrupt: Makes the storage inaccessible to all backends on it, and returns a closure
  ///     that makes it accessible again. If it is nil, that case is not checked.
  public init(
    _ name: String, timeout: Duration = .seconds(2), notifiesOnce: Bool = true,
    makeBackend: @escaping @Sendable () throws -> any KeyValueBackend, reopen: Reopening? = nil,
    damage: Damage? = nil, interrupt: Interruption? = nil
  ) {
    self.name = name
    self.timeout = timeout
    self.notifiesOnce = notifiesOnce
    self.makeBackend = makeBackend
    self.reopen = reopen
    self.damage = damage
    self.interrupt = interrupt
  }

  /// The checks that apply, which need the closures and the value of `notifiesOnce` that this was
  /// created with; the others pass without checking their rules.
  public var checks: [Check] {
    Check.allCases.filter { check in
      switch check {
      case .otherBackendSeesUpdates, .updatesSurviveACrash, .observersAreNotifiedOfOtherBackend:
        reopen != nil
      case .observersAreNotifiedOnce: notifiesOnce
      case .interruptionIsThrown: interrupt != nil
      case .damageIsThrown, .damagedContentsAreMovedAside: damage != nil
      default: true
      }
    }
  }

  /// Runs one check on a new backend, and records an issue for each violation.
  ///
  /// - Parameters:
  ///   - check: The rule to check.
  ///   - sourceLocation: The location to which the issues are attributed.
  public func run(_ check: Check, sourceLocation: SourceLocation = #_sourceLocation) async {
    Findings.record(await findings(of: check), at: sourceLocation)
  }

  /// Runs one check on a new backend without recording issues.
  ///
  /// Use it to test that a check detects a backend that breaks its rule.
  ///
  /// - Parameter check: The rule to check.
  /// - Returns: A sentence for each violation, which names the backend, the operation and the
  ///   expectation; an empty array if the backend follows the rule.
  public func findings(of check: Check) async -> [String] {
    await Findings.collected(by: check, of: name) { findings in
      let run = try await BackendRun.blocking {
        let backend = try makeBackend()
        return BackendRun(
          backend: backend, reopen: { try reopen?(backend) ?? backend },
          other: try reopen?(backend) ?? backend, damage: damage, interrupt: interrupt,
          notifiesOnce: notifiesOnce, timeout: timeout, findings: findings)
      }
      try await run.run(check)
    }
  }

  /// Runs every check of ``checks``, each on a new backend.
  ///
  /// - Parameter sourceLocation: The location to which the issues are attributed.
  public func run(sourceLocation: SourceLocation = #_sourceLocation) async {
    for check in checks { await run(check, sourceLocation: sourceLocation) }
  }
}

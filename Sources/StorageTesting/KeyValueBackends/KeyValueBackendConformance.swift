public import KeyValueStorage
public import Testing

/// A suite of checks that a `KeyValueBackend` follows the rules of its contract, for use in tests.
///
/// ```swift
/// let conformance = KeyValueBackendConformance("MyBackend") { MyBackend(Medium()) } reopen: {
///   MyBackend(($0 as! MyBackend).medium)
/// }
///
/// @Test(arguments: KeyValueBackendConformance.Check.allCases)
/// func backendConforms(_ check: KeyValueBackendConformance.Check) async {
///   await conformance.run(check)
/// }
/// ```
///
/// Each check gets a new backend, so checks may run in parallel. Each violation of a rule is
/// recorded as an issue that names the backend, the operation and the expectation. A backend whose
/// method never returns stops the check.
public struct KeyValueBackendConformance: Sendable {
  private let name: String
  private let makeRun: @Sendable (Findings) throws -> BackendRun

  /// Creates checks for the backends that a closure makes.
  ///
  /// - Parameters:
  ///   - name: The name of the backend in issues.
  ///   - timeout: The maximum time to wait for the notification of a change, and for other writers;
  ///     nil for no limit.
  ///   - notifiesOncePerChange: Whether the backend can tell each change from another, so that it
  ///     calls a handler once for each. It is false for a file, whose changes take several steps.
  ///   - makeBackend: A closure that returns a new, empty backend that shares no content with
  ///     others.
  ///   - reopen: A closure that returns another instance with the content of a backend that
  ///     `makeBackend` returned, as another process has. If it is nil, checks of two instances use
  ///     the same one twice.
  ///   - reopenAfterCrash: A closure that returns another instance with the content that would be
  ///     left if the machine stopped now. The given backend is not used afterwards. If it is nil,
  ///     the check of durability uses `reopen`.
  ///   - damage: A closure that makes the content of a backend unreadable, such as by writing
  ///     garbage, or unreachable, for every instance. If it is nil, the check of unreadable content
  ///     checks only that readable content is not moved.
  public init(
    _ name: String,
    timeout: Duration? = .seconds(20),
    notifiesOncePerChange: Bool = true,
    makeBackend: @escaping @Sendable () throws -> any KeyValueBackend,
    reopen: (@Sendable (any KeyValueBackend) throws -> any KeyValueBackend)? = nil,
    reopenAfterCrash: (@Sendable (any KeyValueBackend) throws -> any KeyValueBackend)? = nil,
    damage: (@Sendable (any KeyValueBackend) throws -> Void)? = nil
  ) {
    self.name = name
    makeRun = { findings in
      let backend = try makeBackend()
      let reopen = reopen ?? { $0 }
      return BackendRun(
        backend: backend, otherInstance: try reopen(backend), timeout: timeout,
        notifiesOncePerChange: notifiesOncePerChange,
        reopenAfterCrash: reopenAfterCrash ?? reopen, damage: damage, findings: findings)
    }
  }

  /// Runs one check on a new backend, and records an issue for each violation.
  public func run(_ check: Check, sourceLocation: SourceLocation = #_sourceLocation) async {
    for finding in await findings(of: check) {
      Issue.record(Comment(rawValue: finding), sourceLocation: sourceLocation)
    }
  }

  /// Runs one check on a new backend, and returns a sentence for each violation, without recording
  /// issues.
  public func findings(of check: Check) async -> [String] {
    await Findings.ofCheck("\(name), \(check.rawValue)") { try await makeRun($0).run(check) }
  }

  /// Runs every check, each on a new backend.
  public func run(sourceLocation: SourceLocation = #_sourceLocation) async {
    for check in Check.allCases { await run(check, sourceLocation: sourceLocation) }
  }

  /// One rule of the `KeyValueBackend` contract.
  public enum Check: String, CaseIterable, Sendable {
    /// Values of each kind and size are stored unchanged; one of 100,000 bytes may be refused with
    /// `KeyValueStoreError.tooLarge(path:limit:)`.
    case valuesRoundTrip
    /// Keys of any text, also of equivalent texts in other encodings, are stored unchanged; one of
    /// 1,000 bytes may be refused with `KeyValueStoreError.tooLarge(path:limit:)`.
    case unusualKeysRoundTrip
    /// A new backend has no keys. Each update gets the newest content of all instances; afterwards,
    /// each instance has exactly what all updates have written, in their order.
    case updatesApplyInOrder
    /// A removal affects no other key, and can be repeated.
    case removedKeysAreGone
    /// Contents that differ have different revisions, and a change since an older one is reported.
    case revisionsTellChanges
    /// An update without changes writes nothing, not even the same content, calls no handler, and
    /// returns its result.
    case emptyUpdateWritesNothing
    /// The error of an update's closure is thrown, nothing is written, and no handler is called.
    case errorsArePassedOn
    /// A completed update survives a crash.
    case updatesAreDurable
    /// No update is lost to a concurrent one, and no load returns part of an update or an older
    /// content than the last one.
    case concurrentUpdatesAreNotLost
    /// Unreadable content is an error and is not overwritten, and only it is moved aside.
    ///
    /// If the content is unreachable, `moveAside` may throw `unavailable`, `system`, `busy`,
    /// `readOnly`, `ownedByAnother` or `notAFile`.
    case onlyUnreadableContentsAreMovedAside

    /// Every handler is called after each kind of change, including those by another instance.
    case observersAreNotified
    /// A load within or after the call of a handler returns the change.
    case notificationsFollowChanges
    /// A handler is called once for a change.
    case changesAreNotifiedOnce
    /// A handler is not called after its observation is released.
    case releasedObserversAreNotNotified
  }
}

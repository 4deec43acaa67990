import Concurrency
import SecretStorage

extension SecretServiceStore {
  /// Unlocks the default keyring, for which the daemon may ask the user.
  ///
  /// The prompt is dismissed when the time is over or the task is cancelled.
  ///
  /// - Parameter duration: The maximum time for the user.
  /// - Throws: `SecretStoreError.denied` if the prompt was dismissed, as it is
  ///   without a display; `SecretStoreError.locked` if the time was over;
  ///   `SecretStoreError.cancelled` if the task was; or
  ///   `SecretStoreError.unavailable`.
  public func unlock(within duration: Duration = .seconds(120)) async throws {
    // On a connection of its own, so that no other access waits for the user.
    let own = DaemonGate(address: access.address)
    try await runBlocking { [self] () throws(SecretStoreError) in
      let deadline = Deadline(after: duration)
      let isLocked = try withDefault(of: own, by: deadline) { daemon, collection in
        let outcome = try daemon.unlock(collection, isCancelled: { TaskCancellation.isRequested })
        if TaskCancellation.isRequested { throw SecretStoreError.cancelled }
        try Self.check(outcome)
        return try daemon.isLocked(collection)
      }
      if isLocked { throw SecretStoreError.locked }
      // One daemon keeps the lock for each connection, and asks for an open keyring only once.
      try withDefault(by: Deadline(after: timeLimit)) { daemon, collection in
        if try daemon.isLocked(collection) {
          try Self.check(daemon.unlock(collection, isCancelled: { false }))
        }
      }
    }
  }

  /// Locks the default keyring, for all programs.
  ///
  /// - Throws: `SecretStoreError.denied` if the daemon's prompt was dismissed, or
  ///   `SecretStoreError.unavailable`, for example without a daemon.
  public func lock() throws {
    try withDefault(by: Deadline(after: timeLimit)) { try $0.lock($1) }
  }

  /// Whether the default keyring is locked; shows no prompt.
  ///
  /// - Throws: `SecretStoreError.unavailable`, for example without a daemon or a default keyring.
  public var isLocked: Bool { get throws { try defaultIsLocked() } }

  func defaultIsLocked() throws(SecretStoreError) -> Bool {
    try withDefault(by: Deadline(after: timeLimit)) { try $0.isLocked($1) }
  }

  private static func check(_ unlocking: SecretDaemon.PromptOutcome) throws(SecretStoreError) {
    switch unlocking {
    case .completed: return
    case .dismissed:
      throw .denied("the daemon's prompt was dismissed, as it is without a display")
    case .timedOut: throw .locked
    }
  }

  /// Calls a closure with the default collection, over the store's connection or another one.
  private func withDefault<Result>(
    of gate: DaemonGate? = nil, by deadline: Deadline,
    _ body: (SecretDaemon, String) throws -> Result
  ) throws(SecretStoreError) -> Result {
    func find(_ daemon: SecretDaemon, _: inout [SecretItem.ID: String]) throws -> Result {
      guard let collection = try daemon.defaultCollection() else {
        throw SecretStoreError.noCollection
      }
      return try body(daemon, collection)
    }
    return if let gate {
      try gate.withDaemon(by: deadline, find)
    } else {
      try access.withDaemon(by: deadline, find)
    }
  }
}

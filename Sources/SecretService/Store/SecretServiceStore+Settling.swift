import SecretStorage
import StorageInternals

/// Changes whose answer was lost, and those of writers that ended in the middle of them.
extension SecretServiceStore {
  /// Makes a call that changes something.
  ///
  /// If its answer is lost or unreadable, finds out whether the change was made: the daemon takes
  /// the calls of a connection in their order, so that it has taken the change when it answers a
  /// later call.
  func settling<Result>(
    _ daemon: SecretDaemon, _ call: () throws(BusFailure) -> Result, after: () throws -> Result?
  ) throws -> Result {
    let deadline = daemon.deadline
    daemon.deadline = deadline.beforeSettling
    defer { daemon.deadline = deadline }
    do throws(BusFailure) {
      return try call()
    } catch {
      let reason: String
      switch error {
      case .noReply(let text): reason = text
      case .malformed(let text): reason = "it sent or was asked for \(text)"
      default: throw SecretStoreError(error)
      }
      daemon.deadline = deadline
      do {
        if let result = try after() { return result }
      } catch {
        throw SecretStoreError.uncertain(
          """
          The Secret Service did not answer a change (\(reason)), which was made completely or not at \
          all. Continue or restart the daemon if it is stopped; the next access tells.
          """)
      }
      throw SecretStoreError.unavailable(
        "The Secret Service did not answer a change (\(reason)), which was not made. Try again.")
    }
  }

  /// Calls a closure while no other process of this library writes to the daemon.
  func writing<Result>(
    _ body: (SecretDaemon, inout [SecretItem.ID: String], WriterFiles) throws -> Result
  ) throws(SecretStoreError) -> Result {
    let deadline = Deadline(after: timeLimit)
    // Readers of this process do not wait for the lock.
    let bus = try access.withDaemon(by: deadline) { daemon, _ in daemon.busIdentifier }
    let files = try WriterFiles(in: access.runtimeDirectory, busIdentifier: bus)
    let lock = try files.lock(by: deadline)
    let result = try access.withDaemon(by: deadline) { daemon, paths in
      if files.hasIntent { try mend(daemon, files) }
      return try body(daemon, &paths, files)
    }
    lock.release()
    return result
  }

  /// Completes the change of a writer that ended in the middle of it.
  func mendIfNeeded(_ daemon: SecretDaemon) {
    do {
      let files = try WriterFiles(
        in: access.runtimeDirectory, busIdentifier: daemon.busIdentifier)
      guard files.hasIntent, let lock = try files.lockIfFree() else { return }
      try mend(daemon, files)
      lock.release()
    } catch {
      // The reading itself reports a daemon that is locked or does not answer. A later access
      // completes the change.
    }
  }

  private func mend(_ daemon: SecretDaemon, _ files: WriterFiles) throws {
    guard let intent = try files.readIntent() else { return try files.removeIntent() }
    daemon.forget(intent.path)
    let found = try ifPresent { () throws(BusFailure) in
      (
        try daemon.record(of: intent.path, withDetails: false).attributes,
        try daemon.secret(of: intent.path)
      )
    }
    if case (var attributes, let stored)? = found,
      intent.isOfItem(with: attributes),
      attributes[ItemLayout.revisionKey] != intent.attributes[ItemLayout.revisionKey]
    {
      if intent.isOf(stored) {
        attributes = intent.attributes
      } else {
        attributes[ItemLayout.revisionKey] = intent.attributes[ItemLayout.revisionKey]
      }
      try daemon.setAttributes(attributes, of: intent.path)
      daemon.countOwnChange(of: intent.path)
    }
    try files.removeIntent()
  }
}

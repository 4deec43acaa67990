import Concurrency

// Accesses that an authentication context authorizes, and changes of the access control.
extension StoredPassword {
  private enum Attempt<Success: Sendable>: Sendable {
    case done(Success)
    /// The user must be prompted for the proofs that the access control needs.
    case needsProof(AccessControl, (any Authenticator)?)
  }

  /// Returns an access that changes the access control of the item, or of the one to add.
  func setting(
    _ accessControl: AccessControl
  ) -> @Sendable (State, Authorization) throws(SecretStoreError) -> Void {
    { [self] old, authorization throws(SecretStoreError) in
      // If there is no item, the store does not check the flags yet.
      _ = try AccessConstraints(accessControl.flags)
      let written = try withItem(old) { found throws(SecretStoreError) -> SecretItem? in
        guard let item = found.item, item.attributes.accessControl != accessControl else {
          return found.item
        }
        var attributes = item.attributes
        attributes.accessControl = accessControl
        return try store.update(
          item.id, expecting: item.revision, attributes: attributes, secret: nil,
          authorizedBy: authorization)
      }
      state.withLock { state in
        state.endCount += 1
        if let written { state.found = FoundItem(item: written) }
        // An access control that the app has set meanwhile must not be overwritten.
        if state.edits.accessControl != old.edits.accessControl { return }
        state.edits.accessControl = written == nil ? accessControl : nil
      }
    }
  }

  /// Performs an access on another thread; if a context is given and a proof is missing, prompts
  /// without locks and retries.
  func access<Success: Sendable>(
    by context: AuthenticationContext?,
    _ body: @escaping @Sendable (State, Authorization) throws(SecretStoreError) -> Success
  ) async throws(SecretStoreError) -> Success {
    var authorization: Authorization?
    while true {
      let attempt = try await withoutBlocking { [authorization] () throws(SecretStoreError) in
        try self.attempt(body, authorization, context)
      }
      switch attempt {
      case .done(let success): return success
      case .needsProof(let accessControl, let authenticator):
        do throws(SecretStoreError) {
          authorization = try await context?.authorization(for: accessControl, with: authenticator)
        } catch {
          didFail(error)
          throw error
        }
      }
    }
  }

  private func attempt<Success: Sendable>(
    _ body: (State, Authorization) throws(SecretStoreError) -> Success,
    _ given: Authorization?, _ context: AuthenticationContext?
  ) throws(SecretStoreError) -> Attempt<Success> {
    try access { old, _ throws(SecretStoreError) in
      guard let context else { return .done(try body(old, .none)) }
      let authenticator = store.authenticator
      let authorization =
        if let given { given } else { try context.authorization(with: authenticator) }
      do throws(SecretStoreError) {
        return .done(try body(old, authorization))
      } catch {
        let (known, endCount) = state.withLock { ($0.found, $0.endCount) }
        guard case .denied = error, let item = try find(known, since: endCount).item else {
          throw error
        }
        let flags = item.attributes.accessControl.flags
        // Without the application password, proofs would not be sufficient.
        if flags.contains(.applicationPassword), authorization.context?.applicationPassword == nil {
          throw error
        }
        // If no proof is missing, the denial has another reason.
        guard try authorization.missingProof(for: flags) != nil else { throw error }
        return .needsProof(item.attributes.accessControl, authenticator)
      }
    }
  }
}

/// A lease on a value, which expires when the context is cancelled or the store is locked.
final class ValueLease: Sendable {
  private let cancellation: Cancellation
  private let store: (any SynchronouslyObservedStore)?
  private let lockCount: UInt64?

  init(until cancellation: Cancellation, _ store: any SecretStore) {
    self.cancellation = cancellation
    self.store = store as? any SynchronouslyObservedStore
    lockCount = self.store?.lockCount
  }

  /// Whether the context was cancelled or the store was locked; the store may be called.
  var hasExpired: Bool { cancellation.isRequested || store?.lockCount != lockCount }
}

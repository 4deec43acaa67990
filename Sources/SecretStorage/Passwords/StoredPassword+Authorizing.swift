import Concurrency

// Accesses that an authentication context authorizes.
extension StoredPassword {
  /// The result of an attempt with the current authorization.
  private enum Attempt<Success: Sendable>: Sendable {
    case done(Success)
    /// The user must be prompted for the proofs that the access control needs.
    case needsProof(AccessControl, (any Authenticator)?)
  }

  func load(
    authorizedBy context: AuthenticationContext
  ) async throws(SecretStoreError) -> (any AnyBox)? {
    try await access(by: context, load(_:authorizedBy:))
  }

  func save(authorizedBy context: AuthenticationContext) async throws(SecretStoreError) {
    try await access(by: context, write(_:authorizedBy:))
  }

  func setAccessControl(_ accessControl: AccessControl) throws(SecretStoreError) {
    try access { resolver throws(SecretStoreError) in
      try setAccessControl(accessControl, resolver, .none)
    }
  }

  func setAccessControl(
    _ accessControl: AccessControl, authorizedBy context: AuthenticationContext
  ) async throws(SecretStoreError) {
    try await access(by: context) { resolver, authorization throws(SecretStoreError) in
      try self.setAccessControl(accessControl, resolver, authorization)
    }
  }

  /// Changes the access control of the item, or of the item to add if there is none.
  private func setAccessControl(
    _ accessControl: AccessControl, _ resolver: ItemResolver, _ authorization: Authorization
  ) throws(SecretStoreError) {
    // If there is no item, the store does not check the flags yet.
    _ = try AccessConstraints(accessControl.flags)
    let store = resolver.store
    let changeCount = state.withLock { $0.changeCount }
    let written = try resolver.withItem { item throws(SecretStoreError) -> SecretItem? in
      guard let item, item.attributes.accessControl != accessControl else { return item }
      var attributes = item.attributes
      attributes.accessControl = accessControl
      return try store.update(
        item.id, expecting: item.revision, attributes: attributes, secret: nil,
        authorizedBy: authorization)
    }
    if let written { resolver.cache(written) }
    state.withLock { state in
      // Changes that the app made in the meantime must not be overwritten.
      guard state.changeCount == changeCount else { return }
      state.edits.accessControl = written == nil ? accessControl : nil
      state.changeCount += 1
    }
  }

  /// Calls a closure with a context's authorization; if denied, prompts without locks and retries.
  private func access<Success: Sendable>(
    by context: AuthenticationContext,
    _ body: @escaping @Sendable (ItemResolver, Authorization) throws(SecretStoreError) -> Success
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
          authorization = try await context.authorization(for: accessControl, with: authenticator)
        } catch {
          didFail(error)
          throw error
        }
      }
    }
  }

  private func attempt<Success: Sendable>(
    _ body: (ItemResolver, Authorization) throws(SecretStoreError) -> Success,
    _ given: Authorization?, _ context: AuthenticationContext
  ) throws(SecretStoreError) -> Attempt<Success> {
    try access { resolver throws(SecretStoreError) in
      let authenticator = resolver.store.authenticator
      let authorization =
        if let given { given } else { try context.authorization(with: authenticator) }
      do throws(SecretStoreError) {
        return .done(try body(resolver, authorization))
      } catch {
        guard case .denied = error, let item = try resolver.item() else { throw error }
        let flags = item.attributes.accessControl.flags
        // Without the application password, proofs would not be sufficient.
        if flags.contains(.applicationPassword), authorization.applicationPassword == nil {
          throw error
        }
        // If no proof is missing, the denial has another reason.
        guard try authorization.missingProof(for: flags) != nil else { throw error }
        return .needsProof(item.attributes.accessControl, authenticator)
      }
    }
  }
}

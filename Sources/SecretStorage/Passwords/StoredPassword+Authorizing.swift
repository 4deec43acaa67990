import StorageInternals

extension StoredPassword {
  /// What came of an attempt with what is authorised so far.
  private enum Attempt<Success: Sendable>: Sendable {
    case done(Success)
    /// Somebody has to be asked for what an item with this access control needs.
    case ask(AccessControl, (any Authenticator)?)
  }

  func load(
    authorizedBy context: AuthenticationContext
  ) async throws(SecretStoreError) -> (any KeptValue)? {
    try await access(by: context) {
      stored, resolver, authorization throws(SecretStoreError) in
      try stored.load(&resolver, authorizedBy: authorization)
    }
  }

  func save(authorizedBy context: AuthenticationContext) async throws(SecretStoreError) {
    try await access(by: context) {
      stored, resolver, authorization throws(SecretStoreError) in
      try stored.write(&resolver, authorizedBy: authorization)
    }
  }

  func setAccessControl(_ accessControl: AccessControl) throws(SecretStoreError) {
    try access { resolver throws(SecretStoreError) in
      try setAccessControl(accessControl, &resolver, .none)
    }
  }

  func setAccessControl(
    _ accessControl: AccessControl, authorizedBy context: AuthenticationContext
  ) async throws(SecretStoreError) {
    try await access(by: context) {
      stored, resolver, authorization throws(SecretStoreError) in
      try stored.setAccessControl(accessControl, &resolver, authorization)
    }
  }

  /// Changes the access control of the item, or notes it for the item that a save will add.
  private func setAccessControl(
    _ accessControl: AccessControl, _ resolver: inout ItemResolver, _ authorization: Authorization
  ) throws(SecretStoreError) {
    // Without an item, no store looks at it now.
    _ = try AccessConstraints(accessControl.flags)
    let store = resolver.store
    let settings = state.withLock { $0.settings }
    let written = try resolver.withItem { item throws(SecretStoreError) -> SecretItem? in
      guard let item, item.attributes.accessControl != accessControl else { return item }
      var attributes = item.attributes
      attributes.accessControl = accessControl
      return try store.update(
        item.id, expecting: item.revision, attributes: attributes, secret: nil,
        authorizedBy: authorization)
    }
    if let written { resolver.remember(written) }
    state.withLock { state in
      state.item = written
      // What the app set in the meantime is newer.
      guard state.settings == settings else { return }
      state.edits.note(written == nil ? accessControl : nil)
      state.settings += 1
    }
  }

  /// Does what may need a person: tries it with what the context has, and where that is not enough,
  /// asks, holding nothing that another access might wait for.
  private func access<Success: Sendable>(
    by context: AuthenticationContext,
    _ body:
      @escaping @Sendable (StoredPassword, inout ItemResolver, Authorization)
      throws(SecretStoreError) -> Success
  ) async throws(SecretStoreError) -> Success {
    var authorization: Authorization?
    while true {
      let attempt = try await withoutBlocking { [authorization] () throws(SecretStoreError) in
        try self.attempt(body, authorization, context)
      }
      switch attempt {
      case .done(let success):
        return success
      case .ask(let accessControl, let authenticator):
        do throws(SecretStoreError) {
          authorization = try await context.authorize(accessControl, with: authenticator)
        } catch {
          didFail(error)
          throw error
        }
      }
    }
  }

  private func attempt<Success: Sendable>(
    _ body: (StoredPassword, inout ItemResolver, Authorization) throws(SecretStoreError) -> Success,
    _ known: Authorization?, _ context: AuthenticationContext
  ) throws(SecretStoreError) -> Attempt<Success> {
    try access { resolver throws(SecretStoreError) in
      let authenticator = resolver.store.authenticator
      let authorization: Authorization
      if let known {
        authorization = known
      } else {
        authorization = try context.authorization(with: authenticator)
      }
      do throws(SecretStoreError) {
        return .done(try body(self, &resolver, authorization))
      } catch {
        guard case .denied = error, let item = try resolver.item() else { throw error }
        let flags = item.attributes.accessControl.flags
        // Without its password, no proof would help.
        let lacksPassword =
          flags.contains(.applicationPassword) && authorization.applicationPassword == nil
        if lacksPassword { throw error }
        // Unless something is missing, the reason is another one.
        guard try authorization.missingProof(for: flags) != nil else { throw error }
        return .ask(item.attributes.accessControl, authenticator)
      }
    }
  }
}

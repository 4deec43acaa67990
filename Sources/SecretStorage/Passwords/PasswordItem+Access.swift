extension PasswordItem {
  /// Reads the item, and makes the stored value the current one; nil means that there is no item.
  ///
  /// A successful read discards an unsaved value and unsaved attributes.
  ///
  /// - Returns: The stored value, without regard to the default value.
  /// - Throws: ``SecretStoreError/locked`` or ``SecretStoreError/denied(_:)`` when the item may not
  ///   be read now, ``SecretStoreError/undecodable(_:)`` when the stored value is not valid for
  ///   `Value`, or another error of the store.
  @discardableResult
  public func load() throws -> Value? {
    Self.value(of: try stored.load())
  }

  /// Forgets the value that was read or loaded; unsaved changes stay.
  ///
  /// The next get reads the store, or returns the default value of a ``RefreshPolicy/manual``
  /// password. The memory of a `Value` that is not a ``Secret`` is released, but not overwritten.
  public func forget() {
    stored.forget()
  }

  /// Writes the unsaved value and attributes, if any; an unsaved nil removes the item.
  ///
  /// Attributes that the app did not set stay as they are in the store. If the item does not exist,
  /// attributes without a value stay unsaved.
  ///
  /// - Throws: ``SecretStoreError/locked``, ``SecretStoreError/unsupported(_:)``,
  ///   ``SecretStoreError/invalid(_:)`` or another error of the store; all changes then stay
  ///   unsaved.
  public func save() throws {
    try stored.save()
  }

  /// Removes the item, and discards the unsaved value and attributes.
  ///
  /// Without an item, this succeeds. Of several matching items, it removes the oldest.
  ///
  /// - Throws: ``SecretStoreError/locked`` or another error of the store; nothing changes then.
  public func remove() throws {
    try stored.remove()
  }

  /// The result of the last access.
  ///
  /// If there was none yet, or the last one was a removal, this accesses the store, without
  /// changing the value of a ``RefreshPolicy/manual`` password.
  public var status: PasswordStatus { stored.status }

  /// The error of the last access, or nil if it succeeded or there was none.
  public var error: SecretStoreError? { stored.error }

  /// Whether there is an unsaved value or an unsaved attribute.
  public var hasUnsavedChanges: Bool { stored.hasUnsavedChanges }

  /// The number of matching items; of several, the oldest is used.
  ///
  /// - Throws: ``SecretStoreError/locked`` or another error of the store.
  public var matchCount: Int {
    get throws { try stored.matchCount() }
  }
}

// A store waits for its disk. That would block one of the few threads of Swift's pool, and with it
// other tasks, so these methods use a Dispatch thread.
extension PasswordItem {
  /// Reads the item, and makes the stored value the current one, without blocking the task's
  /// thread.
  ///
  /// - Returns: The stored value, without regard to the default value.
  /// - Throws: ``SecretStoreError``, as the synchronous `load()` does. Cancellation does not
  ///   interrupt it.
  @discardableResult
  public func load() async throws -> Value? {
    let stored = stored
    return try await withoutBlocking { () throws(SecretStoreError) in
      Self.value(of: try stored.load())
    }
  }

  /// Writes the unsaved value and attributes, if any, without blocking the task's thread.
  ///
  /// - Throws: ``SecretStoreError``, as the synchronous `save()` does. Cancellation does not
  ///   interrupt it.
  public func save() async throws {
    let stored = stored
    try await withoutBlocking { () throws(SecretStoreError) in try stored.save() }
  }

  /// Removes the item, without blocking the task's thread.
  ///
  /// - Throws: ``SecretStoreError``, as the synchronous `remove()` does. Cancellation does not
  ///   interrupt it.
  public func remove() async throws {
    let stored = stored
    try await withoutBlocking { () throws(SecretStoreError) in try stored.remove() }
  }
}

extension PasswordItem {
  /// Reads the item, asking a person for the proofs that its ``AccessFlags`` need, and makes the
  /// stored value the current one; nil means that there is no item.
  ///
  /// Proofs that are still valid in the context are not asked for again. No other access waits
  /// while the person is asked. A successful read discards an unsaved value and unsaved attributes.
  /// Under ``RefreshPolicy/manual``, each later get returns the value. Under the other policies, a
  /// get reads the store, is denied, and returns the loaded value.
  ///
  /// Cancelling the task or the context withdraws a question, and ends the key derivation for an
  /// application password, whose cost the stored item states.
  ///
  /// - Returns: The stored value, without regard to the default value.
  /// - Throws: ``SecretStoreError/denied(_:)`` without a proof, ``SecretStoreError/cancelled`` when
  ///   the person, the task or the context gave up, ``SecretStoreError/wrongApplicationPassword``,
  ///   or an error of the synchronous `load()`. The value then stays the same.
  @discardableResult
  public func load(
    authorizedBy context: AuthenticationContext
  ) async throws -> Value? {
    Self.value(of: try await stored.load(authorizedBy: context))
  }

  /// Writes the unsaved value and attributes, if any, with the authorisation of the context.
  ///
  /// It asks only when an existing item gets another access control without a new value. The
  /// context's application password must be right for the stored item; its new application
  /// password, if any, seals the item from then on.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)``, ``SecretStoreError/cancelled``,
  ///   ``SecretStoreError/wrongApplicationPassword``, or an error of the synchronous `save()`; all
  ///   changes then stay unsaved.
  public func save(authorizedBy context: AuthenticationContext) async throws {
    try await stored.save(authorizedBy: context)
  }

  /// Changes the item's access control in the store immediately.
  ///
  /// The secret and the other attributes stay as they are in the store, and unsaved changes stay
  /// unsaved. If there is no item, a later save adds one with this access control.
  ///
  /// - Parameters:
  ///   - accessibility: The condition for reading the item.
  ///   - flags: The proofs for reading the item.
  /// - Throws: ``SecretStoreError/denied(_:)`` when reading the stored item needs a proof; then use
  ///   ``modifyAccess(using:flags:authorizedBy:)``. ``SecretStoreError/invalid(_:)`` for an invalid
  ///   mix of flags, ``SecretStoreError/unsupported(_:)`` when the store does not support it, or
  ///   another error of the store. Nothing is changed then.
  public func modifyAccess(
    using accessibility: Accessibility, flags: AccessFlags = []
  ) throws {
    try stored.setAccessControl(AccessControl(accessibility, flags: flags))
  }

  /// Changes the item's access control in the store immediately, asking for the proofs that reading
  /// the stored item needs.
  ///
  /// - Parameters:
  ///   - accessibility: The condition for reading the item.
  ///   - flags: The proofs for reading the item.
  ///   - context: The way to ask a person, and the application passwords, old and new.
  /// - Throws: ``SecretStoreError/denied(_:)`` without a proof, ``SecretStoreError/cancelled``,
  ///   ``SecretStoreError/wrongApplicationPassword``, or an error of
  ///   ``modifyAccess(using:flags:)``. Nothing is changed then.
  public func modifyAccess(
    using accessibility: Accessibility, flags: AccessFlags = [],
    authorizedBy context: AuthenticationContext
  ) async throws {
    try await stored.setAccessControl(
      AccessControl(accessibility, flags: flags), authorizedBy: context)
  }
}

// Accesses that throw, such as loads and saves, and the result of the last access.
extension PasswordItem {
  /// Loads and returns the stored value, and discards unsaved changes; nil if there is no item.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)`` or ``SecretStoreError/denied(_:)`` if the item may
  ///   not be read now, ``SecretStoreError/undecodable(_:)`` if the stored value is not a valid
  ///   `Value`, or another error of the store.
  @discardableResult
  public func load() throws -> Value? {
    try stored.access(stored.load).map(Self.value)
  }

  /// Discards the value that was read from the store, but not unsaved changes.
  ///
  /// If the policy is ``RefreshPolicy/manual``, gets then return the default value. Unless `Value`
  /// is ``Secret``, the memory of the value is not overwritten.
  public func forget() {
    stored.forget()
  }

  /// Saves unsaved changes of the value and the attributes; an unsaved nil removes the item.
  ///
  /// Attributes that were not set are not changed in the store. If there is no item and no unsaved
  /// value, unsaved attributes stay unsaved.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)``, ``SecretStoreError/unsupported(_:)``,
  ///   ``SecretStoreError/invalid(_:)`` or another error of the store; all changes stay unsaved.
  public func save() throws {
    try stored.access(stored.write)
  }

  /// Removes the item, the oldest if several match, and discards unsaved changes.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)`` or another error of the store; nothing changes.
  public func remove() throws {
    try stored.access(stored.remove)
  }

  /// Changes the item's access control in the store immediately.
  ///
  /// The stored secret and the other attributes do not change, and unsaved changes stay unsaved. If
  /// there is no item, the access control applies to the item that a later save adds.
  ///
  /// - Parameters:
  ///   - accessibility: The condition under which the item can be read.
  ///   - flags: The proofs that reading the item needs.
  /// - Throws: ``SecretStoreError/denied(_:)`` if reading the stored item needs a proof, in which
  ///   case use ``modifyAccess(using:flags:authorizedBy:)``; ``SecretStoreError/invalid(_:)`` for
  ///   an invalid combination of flags; ``SecretStoreError/unsupported(_:)`` if the store does not
  ///   support the access control; or another error of the store. Nothing changes.
  public func modifyAccess(using accessibility: Accessibility, flags: AccessFlags = []) throws {
    try stored.access(stored.setting(AccessControl(accessibility, flags: flags)))
  }

  /// The result of the last access.
  ///
  /// It is that of a new access if there was none, or none since a removal or ``forget()``.
  public var status: PasswordStatus { stored.status }

  /// The error of the last access; nil if it succeeded or there was none.
  public var error: SecretStoreError? { stored.error }

  /// Whether the value or an attribute has unsaved changes.
  public var hasUnsavedChanges: Bool { stored.hasUnsavedChanges }

  /// The number of matching items, of which the oldest one is used.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)`` or another error of the store.
  public var matchCount: Int { get throws { try stored.matchCount() } }
}

// Asynchronous accesses, which wait on a thread of Dispatch, not of Swift's cooperative pool.
extension PasswordItem {
  /// Loads the value like the synchronous `load()`, without blocking the thread of the task.
  ///
  /// Cancelling the task does not interrupt loading.
  ///
  /// - Throws: The errors of the synchronous `load()`.
  @discardableResult
  public func load() async throws -> Value? {
    try await stored.access(by: nil, stored.load).map(Self.value)
  }

  /// Saves unsaved changes, without blocking the thread of the task.
  ///
  /// Cancelling the task does not interrupt saving.
  ///
  /// - Throws: The errors of the synchronous `save()`.
  public func save() async throws {
    try await stored.access(by: nil, stored.write)
  }

  /// Removes the item, without blocking the thread of the task.
  ///
  /// Cancelling the task does not interrupt the removal.
  ///
  /// - Throws: The errors of the synchronous `remove()`.
  public func remove() async throws {
    try await stored.access(by: nil, stored.remove)
  }

  /// Loads the value, prompting for the proofs that its ``AccessFlags`` need and the context lacks.
  ///
  /// Other accesses do not wait for the prompt. If loading succeeds, it discards unsaved changes,
  /// and each later get returns the loaded value until the context ends or the store is locked.
  /// Under policies other than ``RefreshPolicy/manual``, a get also tries to read the store.
  ///
  /// Cancelling the task or the context dismisses the prompt and stops the key derivation for an
  /// application password, whose cost the stored item specifies.
  ///
  /// - Returns: The stored value; nil, instead of the default value, if there is no item.
  /// - Throws: ``SecretStoreError/denied(_:)`` if a proof was not given,
  ///   ``SecretStoreError/cancelled`` if the user, the task or the context cancelled,
  ///   ``SecretStoreError/wrongApplicationPassword``, or an error of the synchronous `load()`.
  @discardableResult
  public func load(authorizedBy context: AuthenticationContext) async throws -> Value? {
    try await stored.access(by: context, stored.load).map(Self.value)
  }

  /// Saves unsaved changes with the authorization of a context.
  ///
  /// The user is prompted only if the access control of an existing item changes without a new
  /// value. The application password of the context must be that of the stored item; the new
  /// application password of the context, if any, replaces it.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)``, ``SecretStoreError/cancelled``,
  ///   ``SecretStoreError/wrongApplicationPassword``, or an error of the synchronous `save()`.
  public func save(authorizedBy context: AuthenticationContext) async throws {
    try await stored.access(by: context, stored.write)
  }

  /// Changes the item's access control immediately, prompting for the proofs to read the item.
  ///
  /// - Parameters:
  ///   - accessibility: As in ``modifyAccess(using:flags:)``.
  ///   - flags: As in ``modifyAccess(using:flags:)``.
  ///   - context: The context, with the current and the new application password if needed.
  /// - Throws: ``SecretStoreError/denied(_:)`` if a proof was not given,
  ///   ``SecretStoreError/cancelled``, ``SecretStoreError/wrongApplicationPassword``, or an error
  ///   of ``modifyAccess(using:flags:)``. Nothing changes.
  public func modifyAccess(
    using accessibility: Accessibility, flags: AccessFlags = [],
    authorizedBy context: AuthenticationContext
  ) async throws {
    try await stored.access(
      by: context, stored.setting(AccessControl(accessibility, flags: flags)))
  }
}

extension PasswordItem {
  /// Reads the item, asking a person for what its ``AccessFlags`` demand, and makes what it holds the
  /// value; nil means that there is no item.
  ///
  /// What the context still has of an earlier proof is not asked for again. No other access waits
  /// while the person is asked. A value and attributes that were unsaved are given up, but only when
  /// the reading succeeds. Under ``RefreshPolicy/manual``, the value is then there for every get;
  /// under the other policies a get reads for itself, is denied, and gives the value that was loaded.
  ///
  /// - Returns: What is stored; the default value is not taken into account.
  /// - Throws: ``SecretStoreError/denied(_:)`` when it was not proved,
  ///   ``SecretStoreError/cancelled`` when the person, the task or the context gave up,
  ///   ``SecretStoreError/wrongApplicationPassword``, or what the synchronous `load()` throws. The value
  ///   stays what it was then.
  @discardableResult
  public func load(
    authorizedBy context: AuthenticationContext
  ) async throws(SecretStoreError) -> Value? {
    Self.value(of: try await stored.load(authorizedBy: context))
  }

  /// Writes the unsaved value and attributes, if there are any, with what the context authorises.
  ///
  /// Only an item that exists and gets another access control without a new value makes it ask. The
  /// context's application password must be right for the item that is there; its new one, if it has
  /// one, is what the item is sealed under from then on.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)``, ``SecretStoreError/cancelled``,
  ///   ``SecretStoreError/wrongApplicationPassword``, or what the synchronous `save()` throws;
  ///   everything stays unsaved then.
  public func save(authorizedBy context: AuthenticationContext) async throws(SecretStoreError) {
    try await stored.save(authorizedBy: context)
  }

  /// Changes at once when the item can be read and what a person must prove for it.
  ///
  /// Its secret and its other attributes stay as they are in the store, and what is unsaved stays
  /// unsaved. Where there is no item, it is the access control with which a save will add one.
  ///
  /// - Parameters:
  ///   - accessibility: When the item can be read.
  ///   - flags: What a person must prove to read it.
  /// - Throws: ``SecretStoreError/denied(_:)`` when reading the item as it is needs a proof: then use
  ///   ``modifyAccess(using:flags:authorizedBy:)``. ``SecretStoreError/invalid(_:)`` for flags without
  ///   meaning, ``SecretStoreError/unsupported(_:)`` when the store cannot honour it, or what kept the
  ///   store from writing. Nothing is changed then.
  public func modifyAccess(
    using accessibility: Accessibility, flags: AccessFlags = []
  ) throws(SecretStoreError) {
    try stored.setAccessControl(AccessControl(accessibility, flags: flags))
  }

  /// Changes at once when the item can be read and what a person must prove for it, asking for what
  /// reading the item needs as it is.
  ///
  /// - Parameters:
  ///   - accessibility: When the item can be read.
  ///   - flags: What a person must prove to read it.
  ///   - context: How a person is asked, and the application passwords, old and new.
  /// - Throws: ``SecretStoreError/denied(_:)`` when it was not proved,
  ///   ``SecretStoreError/cancelled``, ``SecretStoreError/wrongApplicationPassword``, or what
  ///   ``modifyAccess(using:flags:)`` throws. Nothing is changed then.
  public func modifyAccess(
    using accessibility: Accessibility, flags: AccessFlags = [],
    authorizedBy context: AuthenticationContext
  ) async throws(SecretStoreError) {
    try await stored.setAccessControl(
      AccessControl(accessibility, flags: flags), authorizedBy: context)
  }
}

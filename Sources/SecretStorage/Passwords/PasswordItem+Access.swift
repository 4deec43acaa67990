extension PasswordItem {
  /// Reads the item and makes what it holds the value; nil means that there is no item.
  ///
  /// A value and attributes that were unsaved are given up, but only when the reading succeeds.
  ///
  /// - Returns: What is stored; the default value is not taken into account.
  /// - Throws: ``SecretStoreError/locked`` or ``SecretStoreError/denied(_:)`` when the item may not
  ///   be read now, ``SecretStoreError/undecodable(_:)`` when it is no `Value`, or what else kept
  ///   the store from reading.
  @discardableResult
  public func load() throws(SecretStoreError) -> Value? {
    Self.value(of: try stored.load())
  }

  /// Forgets the value that was read or loaded; what is unsaved stays.
  ///
  /// The next get reads the store, or for a ``RefreshPolicy/manual`` password gives the default
  /// value. The memory of a `Value` that is no ``Secret`` is released, not overwritten.
  public func forget() {
    stored.forget()
  }

  /// Writes the unsaved value and attributes, if there are any; an unsaved nil removes the item.
  ///
  /// Attributes that the app did not set stay as they are in the store. Those of an item that does
  /// not exist wait until there is a value to save.
  ///
  /// - Throws: ``SecretStoreError/locked``, ``SecretStoreError/unsupported(_:)`` or
  ///   ``SecretStoreError/invalid(_:)`` when the store refuses, or what else kept it from writing;
  ///   everything stays unsaved then.
  public func save() throws(SecretStoreError) {
    try stored.save()
  }

  /// Removes the item, and with it the value and attributes that were unsaved.
  ///
  /// When there is no item, that is a success. Of several that match, the oldest is removed.
  ///
  /// - Throws: ``SecretStoreError/locked``, or what else kept the store from removing; nothing
  ///   changes then.
  public func remove() throws(SecretStoreError) {
    try stored.remove()
  }

  /// How the last access went.
  ///
  /// If there was none yet, or a removal was the last one, this is an access itself, which finds
  /// out without changing the value of a ``RefreshPolicy/manual`` password.
  public var status: PasswordStatus { stored.status }

  /// Why the last access failed, or nil if it succeeded or there was none.
  public var error: SecretStoreError? { stored.error }

  /// Whether a value or attributes were set and are not in the store yet.
  public var hasUnsavedChanges: Bool { stored.hasUnsavedChanges }

  /// How many items match; more than one means that the oldest of them is used.
  ///
  /// - Throws: ``SecretStoreError/locked``, or what else kept the store from searching.
  public var matchCount: Int {
    get throws(SecretStoreError) { try stored.matchCount() }
  }
}

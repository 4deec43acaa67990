extension LayeredSecretStore {
  /// Adds an item to the layer of writes, and returns the stored item.
  ///
  /// - Throws: ``SecretStoreError/readOnly(_:)`` if a higher layer has the item or no layer can be
  ///   written, ``SecretStoreError/duplicate`` if the layer of writes or a lower one has it, or
  ///   another error of a layer. On error, nothing changes.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    let index = try indexOfWrites()
    try requireNotShadowed(identity, at: index)
    for layer in layers[(index + 1)...] {
      let found = try layer.access { store throws(SecretStoreError) in try store.item(identity) }
      if found ?? nil != nil { throw .duplicate }
    }
    return try layers[index].store.add(
      secret, identity: identity, attributes: attributes, authorizedBy: authorization)
  }

  /// Changes an item of the layer of writes, or adds a changed copy of an item of a lower layer to
  /// it, and returns the stored item.
  ///
  /// - Throws: ``SecretStoreError/conflict``, ``SecretStoreError/readOnly(_:)`` if the item is in
  ///   or shadowed by a higher layer or no layer can be written, or another error of a layer. On
  ///   error, nothing changes.
  public func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    let target = try indexOfWrites()
    try requireNotShadowed(item, at: target)
    do throws(SecretStoreError) {
      return try layers[target].store.update(
        item, expecting: revision, attributes: attributes, secret: secret,
        authorizedBy: authorization)
    } catch {
      guard error == .conflict, let (index, found) = try lowerLocation(of: item, below: target),
        found.revision == revision
      else { throw error }
      return try copy(found, from: index, to: target, attributes, secret, authorization)
    }
  }

  /// Adds a changed copy of an item of a lower layer to the layer of writes.
  private func copy(
    _ item: SecretItem, from index: Int, to target: Int, _ attributes: ItemAttributes?,
    _ secret: Secret?, _ authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try requireNotShadowed(item.identity, at: target)
    var secret = secret
    if secret == nil {
      secret = try layers[index].store.secret(of: item.id, authorizedBy: authorization)?.secret
    }
    guard let secret else { throw .conflict }
    do throws(SecretStoreError) {
      return try layers[target].store.add(
        secret, identity: item.identity, attributes: attributes ?? item.attributes,
        authorizedBy: authorization)
    } catch {
      // The item has been added since it was found in the lower layer.
      throw error == .duplicate ? .conflict : error
    }
  }

  /// Removes an item of the layer of writes, if it exists.
  ///
  /// - Throws: ``SecretStoreError/conflict`` if the item has a different revision,
  ///   ``SecretStoreError/readOnly(_:)`` if it is in another layer, or another error of a layer.
  public func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    for (index, layer) in layers.enumerated() where index != writingIndex {
      if try find(item, in: layer) != nil {
        throw .readOnly(
          """
          The item is in the layer \(layer.name), which is not the one that is written. Remove it \
          there.
          """)
      }
    }
    if let writingIndex { try layers[writingIndex].store.remove(item, expecting: revision) }
  }

  private func indexOfWrites() throws(SecretStoreError) -> Int {
    guard let writingIndex else {
      throw .readOnly("All layers of the store can only be read. Add one that can be written.")
    }
    return writingIndex
  }

  // Other layers than that of writes usually have few items.
  private func find(
    _ id: SecretItem.ID, in layer: SecretLayer
  ) throws(SecretStoreError) -> SecretItem? {
    let items = try layer.access { store throws(SecretStoreError) in
      try store.items(matching: .all)
    }
    return items?.first { $0.id == id }
  }

  private func lowerLocation(
    of id: SecretItem.ID, below target: Int
  ) throws(SecretStoreError) -> (index: Int, item: SecretItem)? {
    for index in layers.indices[(target + 1)...] {
      if let item = try find(id, in: layers[index]) { return (index, item) }
    }
    return nil
  }

  /// - Throws: ``SecretStoreError/readOnly(_:)`` if a layer above the one at an index has the item,
  ///   or one with its identity.
  private func requireNotShadowed(_ id: SecretItem.ID, at index: Int) throws(SecretStoreError) {
    for (higher, layer) in layers[..<index].enumerated() {
      let items = try layer.access { store throws(SecretStoreError) in
        try store.items(matching: .all)
      }
      for item in items ?? [] {
        let shadowed = try layers[index].store.item(item.identity)
        if item.id == id || shadowed?.id == id {
          throw shadowedError(by: higher, at: index)
        }
      }
    }
  }

  /// - Throws: ``SecretStoreError/readOnly(_:)`` if a layer above the one at an index has an item.
  private func requireNotShadowed(
    _ identity: ItemIdentity, at index: Int
  ) throws(SecretStoreError) {
    for (higher, layer) in layers[..<index].enumerated() {
      let found = try layer.access { store throws(SecretStoreError) in try store.item(identity) }
      if found ?? nil != nil { throw shadowedError(by: higher, at: index) }
    }
  }

  private func shadowedError(by higher: Int, at index: Int) -> SecretStoreError {
    .readOnly(
      """
      The layer \(layers[higher].name) has this item, and would override it in the layer \
      \(layers[index].name). Change or remove it in the layer \(layers[higher].name).
      """)
  }
}

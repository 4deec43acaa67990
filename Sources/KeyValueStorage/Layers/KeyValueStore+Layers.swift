import Concurrency
import ValueFormats

// Stores of several layers: where values come from, and what a set may change.
extension KeyValueStore {
  /// Creates a store that reads each key from the first layer that has it.
  ///
  /// ```swift
  /// let store = KeyValueStore(layers: [
  ///   .commandLine(), .environment(prefix: "NOTES_"), .json(url), .propertyList(system),
  /// ])
  /// ```
  ///
  /// Structures have each member from the first layer that has it; arrays and dictionaries are not
  /// merged. Options and variables are text, which the type of the property decodes. Two properties
  /// whose keys have one name, such as `server.port` and `serverPort` in the environment, are an
  /// error that ``onFailure`` gets when the second one is created, and an error of both while the
  /// variable is set.
  ///
  /// A set writes to the first writable layer. If a layer above has the key, it fails with
  /// ``KeyValueStoreError/overridden(key:by:)``, and if no layer is writable, with
  /// ``KeyValueStoreError/readOnly(path:_:)``. A removed key has the value of the layers below.
  ///
  /// If one of the files cannot be read, neither can the store. Such a store has no version.
  ///
  /// - Parameters:
  ///   - layers: The layers, of which the first is the highest.
  ///   - writes: The policy for writing properties.
  public convenience init(layers: [KeyValueLayer], writes: WritePolicy = .durable) {
    self.init(LayeredBackend(layers), writes: writes)
  }

  /// Returns the source of the newest value of a key: the first layer that has it, or a member of
  /// its value.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read.
  public func source(of key: String) throws -> KeyValueSource {
    try load()
    return source(of: StoredKey(key))
  }

  /// This store's settings as a layer of another store.
  package var layer: KeyValueLayer { .backend(backend) }

  /// Returns the source of a value that is cached or not yet written.
  func source(of key: StoredKey) -> KeyValueSource {
    let (value, overlay) = state.withLock { ($0.visible(key), $0.contents?.overlay) }
    guard let value else { return .defaultValue }
    guard let layers else { return backend.source }
    guard LayeredBytes.areLayered(value), let overlay else {
      return layers.writableBackend?.source ?? .defaultValue
    }
    let candidates = overlay.candidates(of: key, own: LayeredBytes.own(in: value))
    return candidates.first.map { layers.source(of: key, in: $0.layer) } ?? .defaultValue
  }

  /// Returns the newest known layers; nil for a store without layers.
  private func overlay() throws(KeyValueStoreError) -> LayerOverlay? {
    guard let layers else { return nil }
    try KeyValueStoreError.checkProcess()
    if state.withLock({ $0.contents == nil }) { loadIfNeeded() }
    return state.withLock { $0.contents?.overlay } ?? layers.overlayWithoutFiles
  }

  /// Throws if a set of a key would have no effect.
  private func checkWritable(_ key: StoredKey, _ overlay: LayerOverlay) throws(KeyValueStoreError) {
    guard let layers else { return }
    guard layers.writable != nil else { throw .readOnly(path: name, .layer) }
    if let layer = overlay.layerAbove(key) {
      throw .overridden(key: key.string, by: layers.source(of: key, in: layer))
    }
  }

  /// Encodes a value to set, so that no lower layer completes it; returns nil if the value and the
  /// default value are both nil, and no lower layer has another one.
  func encode<Value: Encodable>(
    _ value: Value, for key: StoredKey, default defaultValue: @autoclosure () -> Value? = nil
  ) throws(KeyValueStoreError) -> EncodedValue? {
    guard let overlay = try overlay() else {
      return try coding.encode(value, key: key.string, default: defaultValue())
    }
    try checkWritable(key, overlay)
    guard let below = overlay.valueBelow(key) else {
      return try coding.encode(value, key: key.string, default: defaultValue())
    }
    var encoded = try coding.encode(value, key: key.string)
    if let type = Value.self as? any Codable.Type, let lower = try? coding.decode(below),
      let tree = try? TreeEncoder().encode(value),
      let hidden = tree.hidingMembers(of: lower, as: type),
      let bytes = try? coding.encode(hidden)
    {
      encoded = bytes[...]
    }
    // The value that the key has after the write, so that the write changes nothing once more.
    return overlay.value(of: key, own: encoded)
  }

  /// Returns the value that a key has when it is removed, of the layers below; nil if they have
  /// none.
  func valueAfterRemoval(of key: StoredKey) throws(KeyValueStoreError) -> EncodedValue? {
    guard let overlay = try overlay() else { return nil }
    try checkWritable(key, overlay)
    return overlay.valueBelow(key)
  }

  /// Finds keys with the name of a new property's key, and reports the first of them.
  func checkName(of key: StoredKey) {
    guard let layers else { return }
    let other = state.withLock { state -> StoredKey? in
      if state.keyNames.isEmpty { state.keyNames = layers.namings.map(KeyNames.init) }
      var other: StoredKey?
      for index in state.keyNames.indices { other = state.keyNames[index].add(key) ?? other }
      guard let other, layers.ambiguousKeys.add(key, other) else { return nil }
      // Values that are cached for the other key may come from the name.
      state.invalidate()
      return other
    }
    guard let other else { return }
    report(
      .invalid(
        """
        The settings \([].keyPath(from: other.string)) and \([].keyPath(from: key.string)) have \
        the same name in an environment or a command line. Rename one of them.
        """))
  }
}

extension ValueTree {
  /// The tree of a structure with a nil for each member that it lacks and a lower layer would add;
  /// nil if there is none, or the value is no structure.
  fileprivate func hidingMembers(
    of lower: ValueTree, as type: any Codable.Type
  ) -> ValueTree? {
    guard case .dictionary = self,
      let merged = try? type.tree(decodedFrom: .layered(.layers([self, lower])))
    else { return nil }
    let hidden = addingNil(forMembersOf: merged)
    return hidden == self ? nil : hidden
  }

  private func addingNil(forMembersOf other: ValueTree) -> ValueTree {
    guard case .dictionary(var members) = self, case .dictionary(let others) = other else {
      return self
    }
    for (key, value) in others {
      members[key] = members[key].map { $0.addingNil(forMembersOf: value) } ?? .null(depth: 0)
    }
    return .dictionary(members)
  }
}

extension Decodable where Self: Encodable {
  /// The tree of the value that is decoded from another tree.
  fileprivate static func tree(decodedFrom tree: ValueTree) throws -> ValueTree {
    try TreeEncoder().encode(TreeDecoder().decode(Self.self, from: tree))
  }
}

import Concurrency
import ValueFormats

extension KeyValueStore {
  /// Creates a store of several layers: the first one with a key has the value of the key.
  ///
  /// ```swift
  /// let settings = KeyValueStore(layers: [
  ///   .commandLine(), .environment(prefix: "NOTES_"), .json(file), .propertyList(systemFile),
  /// ])
  /// ```
  ///
  /// A structure has each member from the first layer with that member; arrays, dictionaries and
  /// enumerations are not merged. The text of a variable or an option is decoded by the type of the
  /// property. The store is written to the first layer of a file, unless that layer is read-only:
  /// setting a key that a higher layer overrides fails with ``KeyValueStoreError/readOnly(_:)``.
  /// See <doc:Layers>.
  ///
  /// - Parameters:
  ///   - layers: The layers, highest first; at most 127.
  ///   - writes: The policy for writing properties.
  ///   - version: The version of the settings in the layer that is written; 0 for none. Other
  ///     layers have no version.
  ///   - migrations: The migrations of that layer, in ascending order of version.
  public convenience init(
    layers: [KeyValueLayer], writes: WritePolicy = .durable, version: Int = 0,
    migrations: [KeyValueMigration] = []
  ) {
    self.init(LayeredBackend(layers), writes: writes, version: version, migrations: migrations)
  }

  /// Returns the options and variables that no property has read, such as misspelled ones.
  ///
  /// A variable is returned only if it has the prefix of a layer. Properties count once the app has
  /// read them, and members of a structure once it has been decoded, so call this method later.
  public func unusedNames() -> [ValueSource] {
    layering?.textLayers.flatMap { layer in layer.unusedNames.map(layer.naming.source) } ?? []
  }
}

extension KeyValueStore {
  /// The layer of the store's values, for a store of several.
  package var layer: KeyValueLayer { .backend(backend) }

  /// Counts keys as those of properties, for a program that does not know the properties; returns
  /// an error for each key whose name another one has.
  package func declare(_ keys: [String]) -> [KeyValueStoreError] {
    guard let layering else { return [] }
    return keys.map(StoredKey.init).compactMap { key in
      for layer in layering.textLayers { _ = layer.declare(key) }
      return layering.conflict(of: key)
    }
  }

  /// Loads the other layers before a value is set, because they may override the value.
  func loadLayers() { if layering != nil { loadIfNeeded() } }

  /// Throws an error if a value that is set would be hidden by a higher layer.
  func requireNotOverridden(_ key: StoredKey) throws(KeyValueStoreError) {
    guard let layering else { return }
    if layering.writableIndex == layering.layers.count { throw .withoutWritableLayer }
    let source = state.withLock { state -> ValueSource? in
      state.visibleContents?.layers?.higherValue(of: key).flatMap(layering.source)
    }
    guard let source else { return }
    throw .readOnly(
      """
      The value of \(String(reflecting: key.string)) cannot be set, because it is overridden by \
      \(source). Change it there.
      """)
  }

  /// Returns the tree to store for a value, so that lower layers do not add to it; nil to remove
  /// the key.
  ///
  /// Structures omit members that are nil, which are stored if a lower layer has another value.
  func hidingLowerLayers<Value: Encodable>(
    _ tree: ValueTree, of type: Value.Type, for key: StoredKey, removesNil: Bool = false
  ) -> ValueTree? {
    let lower = layering.flatMap { _ in
      state.withLock { $0.visibleContents?.layers?.lowerValue(of: key) }
    }
    guard let layering, let lower else {
      return removesNil && tree == .null(depth: 0) ? nil : tree
    }
    guard case .dictionary = tree, let decodable = type as? any Decodable.Type else { return tree }
    do {
      let merged = ValueTree.layers(
        [.tree(tree, name: nil)] + (try layering.decode(lower)).parts)
      return tree.addingNulls(for: try merged.reencoded(as: decodable))
    } catch {
      // An invalid member of a lower layer must not be seen either.
      return tree.addingNulls(in: lower, layering)
    }
  }
}

extension ValueTree {
  /// Decodes and encodes a value of a type.
  fileprivate func reencoded<Value: Decodable>(as type: Value.Type) throws -> ValueTree {
    let value = try TreeDecoder().decode(type, from: self)
    guard let encodable = value as? any Encodable else { return self }
    return try TreeEncoder().encode(encodable)
  }

  /// Returns the dictionary with null for each member that only a layer has.
  fileprivate func addingNulls(in layers: EncodedValue, _ format: LayeredFormat) -> ValueTree {
    guard case .dictionary(var entries) = self else { return self }
    do throws(FormatError) {
      for case .tree(.dictionary(let lower), _) in try format.decode(layers).parts {
        for key in lower.keys where entries[key] == nil { entries[key] = .null(depth: 0) }
      }
    } catch {
      // A value that cannot be decoded has no members.
    }
    return .dictionary(entries)
  }

  /// Returns the dictionary with null for each member that only another dictionary has.
  fileprivate func addingNulls(for other: ValueTree) -> ValueTree {
    guard case .dictionary(var entries) = self, case .dictionary(let others) = other else {
      return self
    }
    for (key, value) in others {
      entries[key] = entries[key]?.addingNulls(for: value) ?? .null(depth: 0)
    }
    return .dictionary(entries)
  }
}

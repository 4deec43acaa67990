import Concurrency

/// A store of layers, such as credentials over variables over a vault.
///
/// ```swift
/// SecretStores.bootstrap(.layers([.credentials, .environment(prefix: "APP_"), .vault]))
/// ```
///
/// **Reading.** An item is that of the first layer that has its identity; the same item in a lower
/// layer is shadowed. If a query matches several items, those of a higher layer come first, and
/// within a layer the oldest. A layer that is locked or unavailable makes an access throw its error
/// unless a higher layer has the item or the layer is ``SecretLayer/optional``.
///
/// **Writing.** All writes go to one layer. Saving an item that a higher layer has throws
/// ``SecretStoreError/readOnly(_:)``, because it would have no effect. Updating an item of a lower
/// layer adds it to the layer of writes, where it has another identifier. Removing an item of the
/// layer of writes uncovers the same item of a lower layer; an item of another layer cannot be
/// removed.
///
/// **Changes.** Each access asks the layers, the higher ones first.
public final class LayeredSecretStore: SynchronouslyObservedStore, LockCountingStore {
  /// The layers, the highest first.
  let layers: [SecretLayer]
  /// The index of the layer of writes; nil if all layers can only be read.
  let writingIndex: Int?

  private struct Seen: Sendable {
    /// The revision of each layer, or the error of reading it.
    var revisions: [Result<StoreRevision, SecretStoreError>] = []
    // A forked child must not reuse a revision of the parent.
    var number = UInt64(Fork.generation) << 48
  }

  private let seen = Lock(Seen(), inForkedChild: { Seen() })
  private let observers = ChangeObservers()
  private let sharedObservation = SharedObservation()

  /// Creates a store of layers, without accessing them.
  ///
  /// Traps if two layers have the same name, or if there is no layer for writes with the name.
  ///
  /// - Parameters:
  ///   - layers: The layers, the highest first.
  ///   - name: The name of the layer of writes; nil for the only layer without the guarantee
  ///     ``StoreGuarantees/readOnly``. If all layers can only be read, so can this store. Traps if
  ///     several layers can be written and none is named.
  public init(layers: [SecretLayer], writingTo name: String? = nil) {
    self.layers = layers
    for (index, layer) in layers.enumerated()
    where layers[..<index].contains(where: { $0.name == layer.name }) {
      fatalError(
        "Two layers are named \(String(reflecting: layer.name)). Give each one its own name.")
    }
    let writable = layers.indices.filter { !layers[$0].store.guarantees.contains(.readOnly) }
    if let name {
      guard let index = writable.first(where: { layers[$0].name == name }) else {
        fatalError(
          "No layer that can be written is named \(String(reflecting: name)). Name one of the layers."
        )
      }
      writingIndex = index
    } else {
      if writable.count > 1 {
        fatalError(
          "\(writable.count) layers can be written. Name the layer of writes with `writingTo`.")
      }
      writingIndex = writable.first
    }
  }

  /// The names of the layers' stores, separated by commas.
  public var name: String { layers.map(\.store.name).joined(separator: ", ") }

  /// The guarantees that all layers have.
  ///
  /// ``StoreGuarantees/survivesReboot`` and ``StoreGuarantees/enforcesAccessControl``, which
  /// concern items that are saved, are those of the layer of writes, and
  /// ``StoreGuarantees/readOnly`` means that there is none.
  public var guarantees: StoreGuarantees {
    let ofWrites: StoreGuarantees = [.survivesReboot, .enforcesAccessControl, .readOnly]
    let common = layers.dropFirst().reduce(layers.first?.store.guarantees ?? []) {
      $0.intersection($1.store.guarantees)
    }
    let written = writingIndex.map { layers[$0].store.guarantees } ?? .readOnly
    return common.subtracting(ofWrites).union(written.intersection(ofWrites))
  }

  /// The authenticator of the layer of writes or, if it has none, of the first layer with one.
  public var authenticator: (any Authenticator)? {
    writingIndex.flatMap { layers[$0].store.authenticator }
      ?? layers.lazy.compactMap(\.store.authenticator).first
  }

  /// Returns a number that changes whenever the revision or the availability of a layer changes.
  public func revision() -> StoreRevision {
    let revisions = layers.map { layer in
      Result { () throws(SecretStoreError) in try layer.store.revision() }
    }
    return seen.withLock { seen in
      if seen.revisions != revisions {
        seen.revisions = revisions
        seen.number += 1
      }
      return StoreRevision(seen.number)
    }
  }

  /// Returns the items of all layers that match a query, those of higher layers first.
  ///
  /// If the query is an exact identity, lower layers than the one with the item are not asked.
  ///
  /// - Throws: The error of a layer that is not optional, such as ``SecretStoreError/locked``.
  public func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    var found: [SecretItem] = []
    var identities: Set<ItemIdentity> = []
    for layer in layers {
      let items = try layer.access { store throws(SecretStoreError) in
        try store.items(matching: query)
      }
      found += (items ?? []).filter { identities.insert($0.identity).inserted }
      if case .exactly = query, !found.isEmpty { break }
    }
    return found
  }

  /// Returns the secret of an item; nil if no layer has the item any more.
  ///
  /// - Throws: The error of the layer that has the item, or of a higher layer that is not optional.
  public func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    // A revision that is too old only causes another search.
    let revision = revision()
    for layer in layers {
      let reading = try layer.access { store throws(SecretStoreError) in
        try store.secret(of: item, authorizedBy: authorization)
      }
      guard let reading = reading ?? nil else { continue }
      return SecretReading(
        secret: reading.secret, itemRevision: reading.itemRevision, storeRevision: revision,
        isText: reading.isText)
    }
    return nil
  }

  /// Calls a handler after each change to a layer, on a thread of this store.
  ///
  /// Several changes may be coalesced into one call.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    observing(observers.add(handler))
  }

  package func observeChangesSynchronously(
    _ handler: @escaping @Sendable () -> Void
  ) -> ChangeObservation { observing(observers.addSynchronous(handler)) }

  private func observing(_ observation: ChangeObservation) -> ChangeObservation {
    sharedObservation.retained(by: observation) {
      let observations = layers.map { layer in
        layer.store.countChanges { [observers] in observers.notify() }
      }
      return ChangeObservation(
        problem: { observations.lazy.compactMap(\.problem).first },
        end: { for observation in observations { observation.cancel() } })
    }
  }

  package func reportDelayedChanges() {
    for layer in layers { (layer.store as? any SynchronouslyObservedStore)?.reportDelayedChanges() }
  }

  /// The number of times that the app has locked a layer.
  package var lockCount: UInt64 {
    layers.reduce(0) { $0 + ((($1.store as? any LockCountingStore)?.lockCount) ?? 0) }
  }
}

extension LayeredSecretStore: FirstMatchingStore {
  func firstItem(matching query: ItemQuery) throws(SecretStoreError) -> SecretItem? {
    for layer in layers {
      let item = try layer.access { store throws(SecretStoreError) in
        try store.findFirstItem(matching: query)
      }
      if let item = item ?? nil { return item }
    }
    return nil
  }
}

extension LayeredSecretStore: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension SecretStore where Self == LayeredSecretStore {
  /// Returns a store of layers, as
  /// ``LayeredSecretStore/init(layers:writingTo:)`` creates it.
  public static func layers(
    _ layers: [SecretLayer], writingTo name: String? = nil
  ) -> LayeredSecretStore {
    LayeredSecretStore(layers: layers, writingTo: name)
  }
}

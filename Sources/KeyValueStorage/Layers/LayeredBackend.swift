import Concurrency
import StorageInternals
import ValueFormats

/// A backend of several layers, of which at most one is written.
final class LayeredBackend: KeyValueBackend {
  /// The newest contents of each layer in one process.
  private struct State: Sendable {
    var contents: [KeyValueContents?]
    /// A number that increases with each change of a layer.
    var revision: Int64 = 0
  }

  let coding: LayeredFormat
  private let backends: [(any KeyValueBackend)?]
  private let state: Lock<State>

  init(_ layers: [KeyValueLayer]) {
    coding = LayeredFormat(layers)
    backends = layers.map(\.backend)
    let state = State(contents: layers.map { _ in nil })
    self.state = Lock(state, inForkedChild: { state })
  }

  private var writable: (any KeyValueBackend)? {
    coding.writableIndex < backends.count ? backends[coding.writableIndex] : nil
  }

  /// The format of the writable layer; the values of the store are in the format `coding`.
  var format: KeyValueFormat { writable?.format ?? .json }

  var name: String { writable?.name ?? "a store without a writable layer" }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    merged(try newest(includingWritable: true))
  }

  /// The contents before the files could be read: the environment and the command line.
  var contentsWithoutFiles: KeyValueContents {
    // A revision that neither contents that were read nor those of an update have.
    var contents = KeyValueContents(entries: [], revision: -1)
    contents.layers = LayerStack(format: coding, contents: backends.map { _ in nil })
    return contents
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    let known = state.withLock { $0 }
    if known.revision != revision { return true }
    for (backend, contents) in zip(backends, known.contents) {
      guard let backend else { continue }
      guard let contents else { return true }
      if try backend.hasChanged(since: contents.revision) { return true }
    }
    return false
  }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    try update(within: FileLock.defaultTimeout, changes)
  }

  func update(
    within timeout: Duration?, _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    var newest = try newest(includingWritable: false)
    guard let writable else {
      // Nothing is written if there are no changes, as in any other store.
      if changes(merged(newest)).isEmpty { return merged(newest) }
      throw .withoutWritableLayer
    }
    let layers = LayerStack(format: coding, contents: newest)
    let known = state.withLock { $0 }
    let revisions = newest.map { $0?.revision }
    newest[coding.writableIndex] = try writable.update(within: timeout) { newestWritable in
      var revisions = revisions
      revisions[coding.writableIndex] = newestWritable.revision
      // Only unchanged contents of all layers have the revision of the last ones.
      let isKnown = revisions == known.contents.map { $0?.revision }
      var contents = KeyValueContents(
        chunks: newestWritable.chunks, revision: isKnown ? known.revision : .min)
      contents.layers = layers
      return KeyValueChanges(
        changes(contents).byKey.mapValues { $0.flatMap(coding.writableValue) })
    }
    return merged(newest)
  }

  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation {
    var observations: [KeyValueObservation] = []
    for backend in backends {
      if let backend { observations.append(try backend.observe(handler)) }
    }
    return KeyValueObservation(
      error: { [observations] in observations.lazy.compactMap(\.error).first },
      end: { [observations] in for observation in observations { observation.cancel() } })
  }

  func moveAside() throws(KeyValueStoreError) -> String? { try writable?.moveAside() }

  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    try writable?.moveAside(within: timeout)
  }

  /// Reads the contents of the layers.
  private func newest(
    includingWritable: Bool
  ) throws(KeyValueStoreError) -> [KeyValueContents?] {
    let known = state.withLock { $0.contents }
    var newest: [KeyValueContents?] = []
    for (index, backend) in backends.enumerated() {
      guard let backend, includingWritable || index != coding.writableIndex else {
        newest.append(nil)
        continue
      }
      if let known = known[index] {
        newest.append(try backend.load(updating: known))
      } else {
        newest.append(try backend.load())
      }
    }
    return newest
  }

  /// Returns the contents of all layers, each as newly read or as another thread has read later.
  private func merged(_ newest: [KeyValueContents?]) -> KeyValueContents {
    state.withLock { state in
      for (index, contents) in newest.enumerated() {
        guard let contents, contents.revision != state.contents[index]?.revision,
          contents.revision >= state.contents[index]?.revision ?? contents.revision
        else { continue }
        state.contents[index] = contents
        state.revision += 1
      }
      var layers = state.contents
      let written = writable == nil ? nil : layers[coding.writableIndex].take()
      var result = KeyValueContents(chunks: written?.chunks ?? [[]], revision: state.revision)
      result.layers = LayerStack(format: coding, contents: layers)
      return result
    }
  }
}

extension LayeredBackend {
  /// Returns the layers of files and other backends with their contents, highest first.
  func files(
    in contents: KeyValueContents
  ) -> [(backend: any KeyValueBackend, contents: KeyValueContents)] {
    backends.enumerated().compactMap { index, backend in
      guard let backend else { return nil }
      if index == coding.writableIndex {
        return (backend, KeyValueContents(chunks: contents.chunks, revision: contents.revision))
      }
      return contents.layers?.contents[index].map { (backend, $0) }
    }
  }

  /// Returns the description of a value that could not be decoded, with its place in the highest
  /// layer that has the invalid part.
  func undecodableValue(
    _ failure: DecodingFailure, _ encoded: EncodedValue, of key: StoredKey
  ) -> KeyValueStoreError {
    if let name = failure.textName {
      let layer = coding.textLayers.first { $0.has(name) }
      let place = layer.map { "\($0.naming.source(name))" } ?? name
      return .undecodable(UndecodableValue(failure, key: key.string, store: place))
    }
    let stored = LayeredFormat.values(in: encoded).compactMap { index, value in
      index < backends.count ? backends[index].map { (backend: $0, value: value) } : nil
    }
    // The parent of a missing member exists.
    let path = failure.isMissing ? failure.path.parent : failure.path
    let invalid = stored.first { backend, value in
      do throws(FormatError) {
        let tree = try backend.format.coding.decode(value)
        return failure.offset == nil && tree.hasValue(at: path)
      } catch {
        return true
      }
    }
    guard let (backend, value) = invalid ?? stored.first else {
      return .undecodable(UndecodableValue(failure, key: key.string, store: name))
    }
    return backend.undecodable(failure, value, of: key)
  }
}

extension KeyValueStoreError {
  static let withoutWritableLayer = KeyValueStoreError.readOnly(
    "No layer of the store can be written. Add the layer of a file.")
}

extension KeyValueBackend {
  /// The format of the values.
  var valueFormat: any StoredFormat { (self as? LayeredBackend)?.coding ?? format.coding }
}

import Concurrency
import ValueFormats

/// A backend of several layers, of which one is written.
///
/// Its contents are those of the writable file, which the other layers complete when a key is
/// looked up, because the name of an option or a variable is only known for a key.
final class LayeredBackend: KeyValueBackend {
  private typealias Loaded = [Int: KeyValueContents]

  private struct State {
    var revision: Int64 = 0
    /// The newest contents of each backend.
    var loaded: Loaded = [:]
    var overlay: LayerOverlay?
  }

  private let layers: [KeyValueLayer.Content]
  private let backends: [(index: Int, backend: any KeyValueBackend)]
  /// The layer that is written; nil if none is writable.
  let writable: Int?
  let format: KeyValueFormat
  let ambiguousKeys = AmbiguousKeys()
  private let state = Lock(State())

  init(_ layers: [KeyValueLayer]) {
    self.layers = layers.map(\.content)
    var backends: [(index: Int, backend: any KeyValueBackend)] = []
    var writable: Int?
    for (index, layer) in self.layers.enumerated() {
      guard case .backend(let backend, let isWritable) = layer else { continue }
      backends.append((index, backend))
      if isWritable, writable == nil { writable = index }
    }
    self.backends = backends
    self.writable = writable
    format = backends.first { $0.index == writable }?.backend.format ?? .json
  }

  /// The namings of the layers of text, each once.
  var namings: [TextLayer.Naming] {
    let all = Set(
      layers.compactMap { layer -> TextLayer.Naming? in
        if case .text(let layer) = layer { layer.naming } else { nil }
      })
    return Array(all)
  }

  /// The backend that is written; nil if none is.
  var writableBackend: (any KeyValueBackend)? { writable.flatMap(backend) }

  private func backend(_ layer: Int) -> (any KeyValueBackend)? {
    if case .backend(let backend, _) = layers[layer] { backend } else { nil }
  }

  var name: String { (writableBackend ?? backends.first?.backend)?.name ?? "a store of text" }

  /// The layers without the contents of files, for a store that could not be read.
  var overlayWithoutFiles: LayerOverlay { overlay(of: [:]) }

  private func overlay(of loaded: Loaded) -> LayerOverlay {
    LayerOverlay(
      layers.enumerated().map { index, layer in
        switch layer {
        case .text(let layer): .text(layer)
        case .backend(let backend, _):
          .contents(loaded[index] ?? KeyValueContents(revision: 0), backend.format)
        }
      }, writable: writable, format, ambiguousKeys)
  }

  /// Returns the contents of all layers, and remembers them unless newer ones are known.
  private func merged(_ loaded: Loaded) -> KeyValueContents {
    state.withLock { state in
      // Another thread may have loaded newer contents of a layer in the meantime.
      let newest = state.loaded.merging(loaded) { $0.revision > $1.revision ? $0 : $1 }
      func isChanged(_ index: Int) -> Bool {
        state.loaded[index]?.revision != newest[index]?.revision
      }
      let changed = backends.map(\.index).filter(isChanged)
      if !changed.isEmpty || state.revision == 0 { state.revision += 1 }
      state.loaded = newest
      let overlay: LayerOverlay
      if let known = state.overlay, changed.allSatisfy({ $0 == writable }) {
        overlay = known
      } else {
        // The contents that the overlay completes are not a part of it.
        overlay = self.overlay(of: newest.filter { $0.key != writable })
        state.overlay = overlay
      }
      var contents = writable.flatMap { newest[$0] } ?? KeyValueContents(revision: 0)
      contents.revision = state.revision
      contents.overlay = overlay
      return contents
    }
  }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    merged(try loaded(except: nil))
  }

  private func loaded(except skipped: Int?) throws(KeyValueStoreError) -> Loaded {
    var loaded: Loaded = [:]
    for (index, backend) in backends where index != skipped { loaded[index] = try backend.load() }
    return loaded
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    let (current, loaded) = state.withLock { ($0.revision, $0.loaded) }
    if revision != current { return true }
    for (index, backend) in backends {
      guard let contents = loaded[index] else { return true }
      if try backend.hasChanged(since: contents.revision) { return true }
    }
    return false
  }

  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    guard let writable, let backend = writableBackend else { throw .readOnly(path: name, .layer) }
    let (contents, (result, others)) = try backend.update(within: timeout) {
      contents throws(KeyValueStoreError) -> (KeyValueChanges, (Result, Loaded)) in
      let others = try loaded(except: writable)
      let (changes, result) = try changes(merged(others.merging([writable: contents]) { $1 }))
      return (changes.written(to: contents), (result, others))
    }
    // The others are not loaded again: the store compares only the keys that it has written.
    return (merged(others.merging([writable: contents]) { $1 }), result)
  }

  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation {
    var observations: [KeyValueObservation] = []
    for (_, backend) in backends { observations.append(try backend.observe(handler)) }
    return KeyValueObservation(
      error: { [observations] in observations.lazy.compactMap { $0.findError() }.first },
      end: { [observations] in for observation in observations { observation.cancel() } })
  }

  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    guard let backend = writableBackend else { throw .readOnly(path: name, .layer) }
    return try backend.moveAside(within: timeout)
  }
}

extension KeyValueChanges {
  /// The changes of a file for changes of the contents of all layers.
  fileprivate func written(to file: KeyValueContents) -> KeyValueChanges {
    // A value of other layers alone is that of a key to remove.
    let own = byKey.mapValues { $0.flatMap(LayeredBytes.own) }
    return KeyValueChanges(
      byKey: own.filter { key, value in value != nil || file[key] != nil },
      confirmsStoredValues: confirmsStoredValues)
  }
}

// The sources of values, and the places of mistakes.
extension LayeredBackend {
  /// The source of a key in a layer.
  func source(of key: StoredKey, path: [ValueStep] = [], in layer: Int) -> KeyValueSource {
    switch layers[layer] {
    case .text(let text): text.source(of: path, in: key) ?? .defaultValue
    case .backend(let backend, _): backend.source
    }
  }

  /// Returns the errors for failures to decode values, with the layers and places of the mistakes.
  func errors(for failures: [DecodingFailure]) -> [KeyValueStoreError] {
    let overlay = state.withLock { $0.overlay }
    let origins = failures.map { failure -> LayerOverlay.Candidate? in
      let part = failure.part
      if !LayeredBytes.areLayered(part.value) {
        return writable.map { ($0, LayerValue(part.value, in: format)) }
      }
      let own = LayeredBytes.own(in: part.value)
      let candidates = overlay?.candidates(of: part.key, own: own) ?? []
      return candidates.first { failure.isOf($0.value) } ?? candidates.first
    }
    var errors: [Int: KeyValueStoreError] = [:]
    // A file is read once for all of its mistakes.
    for layer in Set(origins.compactMap { $0?.layer }) {
      let indices = origins.indices.filter { origins[$0]?.layer == layer }
      let parts = indices.map { index in
        let part = failures[index].part
        return FilePart(
          key: part.key, value: origins[index]?.value.bytes ?? part.value, location: part.location)
      }
      let places = (backend(layer) as? FileBackend)?.places(of: parts)
      for (number, index) in indices.enumerated() {
        let part = failures[index].part
        let path = if case .value(let path) = part.location { path } else { [ValueStep]() }
        errors[index] = failures[index].error(
          at: places?[number], source: source(of: part.key, path: path, in: layer))
      }
    }
    return failures.enumerated().map { errors[$0] ?? $1.error() }
  }

  /// Returns the places of unknown keys; nil for one that is in no file.
  func places(of parts: [FilePart]) -> [FileBackend.PartPlace?] {
    let loaded = state.withLock { $0.loaded }
    var places = parts.map { _ in FileBackend.PartPlace?.none }
    for (index, backend) in backends {
      guard let file = backend as? FileBackend, let contents = loaded[index] else { continue }
      let numbers = parts.indices.filter { number in
        places[number] == nil && contents[parts[number].key] == parts[number].value
      }
      if numbers.isEmpty { continue }
      for (number, place) in zip(numbers, file.places(of: numbers.map { parts[$0] })) {
        places[number] = place
      }
    }
    return places
  }
}

extension DecodingFailure {
  /// Whether the invalid part is in this value of a layer.
  fileprivate func isOf(_ value: LayerValue) -> Bool {
    // A value of a layer that cannot be decoded hides those below.
    guard let tree = try? value.tree() else { return true }
    if case .value(let path) = part.location { return tree.part(at: path) != nil }
    return false
  }
}

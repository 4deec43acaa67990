import Concurrency
import ValueFormats

/// The layers above and below the writable file of a store, which complete its contents.
final class LayerOverlay: Sendable {
  enum Layer: Sendable {
    case text(TextLayer)
    case contents(KeyValueContents, KeyValueFormat)
  }

  /// The value of a key in a layer.
  typealias Candidate = (layer: Int, value: LayerValue)
  /// A merged value, and the value of the writable file in it.
  private typealias Merged = (own: EncodedValue?, value: EncodedValue)

  private let layers: [Layer]
  /// The layer of the contents that the others complete, which are not among `layers`; nil if no
  /// layer is writable.
  let writable: Int?
  private let format: KeyValueFormat
  private let ambiguousKeys: AmbiguousKeys
  /// Merged values of files, which are as long as these.
  private let cache = Lock<[StoredKey: Merged]>([:])

  init(
    _ layers: [Layer], writable: Int?, _ format: KeyValueFormat, _ ambiguousKeys: AmbiguousKeys
  ) {
    self.layers = layers
    self.writable = writable
    self.format = format
    self.ambiguousKeys = ambiguousKeys
  }

  /// Returns the values of a key in a range of layers, from the highest to the first one that
  /// another cannot complete; `own` is that of the writable file.
  func candidates(of key: StoredKey, own: EncodedValue?, in range: Range<Int>? = nil) -> [Candidate]
  {
    var candidates: [Candidate] = []
    for index in range ?? layers.indices {
      let value: LayerValue? =
        if index == writable {
          own.map { LayerValue($0, in: format) }
        } else {
          switch layers[index] {
          case .text(let layer): layer.value(of: key, ambiguousWith: ambiguousKeys[key])
          case .contents(let contents, let format):
            contents[key].map { LayerValue($0, in: format) }
          }
        }
      guard let value else { continue }
      candidates.append((index, value))
      if !value.mayBeStructure { break }
    }
    return candidates
  }

  /// Returns the value of a key, of which `own` is that of the writable file.
  func value(of key: StoredKey, own: EncodedValue?) -> EncodedValue? {
    let candidates = candidates(of: key, own: own)
    if candidates.isEmpty { return nil }
    if candidates.count == 1, candidates[0].layer == writable, let own,
      !LayeredBytes.areLayered(own)
    {
      return own
    }
    let isOfFiles = candidates.allSatisfy { candidate in
      if case .text = layers[candidate.layer] { false } else { true }
    }
    if isOfFiles, let known = cache.withLock({ $0[key] }), known.own == own { return known.value }
    let merged = joined(candidates)
    if isOfFiles {
      cache.withLock { cache in
        // An app may read any number of keys.
        if cache.count >= 10_000 { cache = [:] }
        cache[key] = (own, merged)
      }
    }
    return merged
  }

  /// Returns the value of a key in the layers below the writable file; nil if there is none.
  func valueBelow(_ key: StoredKey) -> EncodedValue? {
    guard let writable else { return nil }
    let candidates = candidates(of: key, own: nil, in: writable + 1..<layers.count)
    return candidates.isEmpty ? nil : joined(candidates)
  }

  private func joined(_ candidates: [Candidate]) -> EncodedValue {
    LayeredBytes.joined(
      candidates.map(\.value), own: candidates.firstIndex { $0.layer == writable })
  }

  /// Returns the layer above the writable file that has a key, or a member of its value.
  func layerAbove(_ key: StoredKey) -> Int? {
    candidates(of: key, own: nil, in: 0..<(writable ?? 0)).first?.layer
  }

  /// The contents of all files, of which `own` are those of the writable one.
  func contents(with own: KeyValueContents) -> [KeyValueContents] {
    layers.indices.compactMap { index in
      if index == writable { return own }
      if case .contents(let contents, _) = layers[index] { return contents }
      return nil
    }
  }
}

extension KeyValueContents {
  /// The contents of each layer that is a file; for a store without layers, these contents.
  var files: [KeyValueContents] {
    var own = self
    own.overlay = nil
    return overlay?.contents(with: own) ?? [own]
  }

  /// Whether a file has become empty, perhaps because another program is writing it.
  func hasEmptiedFile(since before: KeyValueContents?) -> Bool {
    guard let before else { return isEmpty }
    return zip(before.files, files).contains { !$0.isEmpty && $1.isEmpty }
  }
}

import ValueFormats

/// The encoding of a layered store's values: the values of a key in one or more layers.
///
/// Each value begins with a header: the index of its layer in one byte, and the number of its bytes
/// in four. The values are in the order of the layers, highest first. A text is represented by the
/// key.
final class LayeredFormat: StoredFormat {
  enum Layer: Sendable {
    case text(TextLayer)
    case stored(any StoredFormat, name: String)
  }

  let layers: [Layer]
  /// The index of the layer that is written; without one, an index that no layer has.
  let writableIndex: Int
  private let writable: any StoredFormat

  init(_ layers: [KeyValueLayer]) {
    guard layers.count < 128 else { fatalError("A KeyValueStore has at most 127 layers.") }
    self.layers = layers.map { layer in
      switch layer.content {
      case .text(let naming, let texts): .text(TextLayer(naming, texts))
      case .backend(let backend, _): .stored(backend.format.coding, name: backend.name)
      }
    }
    let index = layers.firstIndex { layer in
      if case .backend(_, isReadOnly: false) = layer.content { true } else { false }
    }
    writableIndex = index ?? layers.count
    writable = index.flatMap { layers[$0].backend?.format.coding } ?? JSONFormat()
  }

  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile { try writable.parse(file) }

  func join(_ entries: [KeyValueEntry], _ enclosingText: EnclosingText) -> [UInt8] {
    writable.join(entries, enclosingText)
  }

  func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry {
    writable.entry(key, value)
  }

  /// Encodes a value of the writable layer.
  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] {
    var result: [UInt8] = []
    Self.append(ArraySlice(try writable.encode(tree)), at: writableIndex, to: &result)
    return result
  }

  func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree {
    var parts: [LayeredTree.Part] = []
    for (index, value) in Self.values(in: value) {
      if case .text(let text)? = layer(index) {
        let key = StoredKey(String(decoding: value, as: UTF8.self))
        if let found = text.value(of: key) { parts.append(.text(found)) }
      } else {
        parts.append(.tree(try format(index).decode(value), name: nil))
      }
    }
    return .layers(parts)
  }

  private func layer(_ index: Int) -> Layer? { index < layers.count ? layers[index] : nil }

  private func format(_ index: Int) -> any StoredFormat {
    if case .stored(let format, _)? = layer(index) { format } else { writable }
  }
}

extension LayeredFormat {
  static func append(_ value: EncodedValue, at index: Int, to result: inout [UInt8]) {
    result.append(UInt8(index))
    for shift in [24, 16, 8, 0] { result.append(UInt8(truncatingIfNeeded: value.count >> shift)) }
    result += value
  }

  /// Returns the values of all layers in the order of the layers.
  static func values(in value: EncodedValue) -> [(index: Int, value: EncodedValue)] {
    var values: [(index: Int, value: EncodedValue)] = []
    var rest = value
    while let index = rest.popFirst() {
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      values.append((Int(index), rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return values
  }

  /// Returns the value of the writable layer; nil if it has none.
  func writableValue(in value: EncodedValue) -> EncodedValue? {
    Self.values(in: value).first { $0.index == writableIndex }?.value
  }

  /// Returns whether lower layers may have other members of a layer's value.
  func isMergeable(_ value: EncodedValue, at index: Int, key: StoredKey) -> Bool {
    if case .text(let text)? = layer(index) { return text.value(of: key)?.isMergeable ?? false }
    return format(index).isDictionary(value)
  }

  /// Returns the place of a value's highest layer; nil for the writable layer.
  func source(of value: EncodedValue) -> ValueSource? {
    let values = Self.values(in: value)
    let hasMembers = values.allSatisfy { index, value in
      if case .text? = layer(index) { true } else { format(index).isDictionary(value) }
    }
    for (index, value) in values {
      switch layer(index) {
      case .text(let text)?:
        let found = text.value(of: StoredKey(String(decoding: value, as: UTF8.self)))
        // A number in a file has no members in the environment.
        if let found, hasMembers || !found.hasOnlyMembers { return text.source(found) }
      case .stored(_, let name)?: return index == writableIndex ? nil : .store(name: name)
      case nil: return nil
      }
    }
    return nil
  }

  /// The layers of texts, highest first.
  var textLayers: [TextLayer] {
    layers.compactMap { layer in
      if case .text(let text) = layer { text } else { nil }
    }
  }

  /// Records the key of a property, and reports that it has the name of another one.
  func declare(_ key: StoredKey) {
    let isNew = textLayers.map { $0.declare(key) }.contains(true)
    if isNew, let error = conflict(of: key) { KeyValueStore.report(error) }
  }

  /// Returns the error of a property whose name another property has in a layer of texts.
  func conflict(of key: StoredKey) -> KeyValueStoreError? {
    textLayers.lazy.compactMap { $0.conflict(of: key) }.first
  }
}

extension KeyValueLayer {
  /// The backend; nil for a layer of texts.
  var backend: (any KeyValueBackend)? {
    if case .backend(let backend, _) = content { backend } else { nil }
  }
}

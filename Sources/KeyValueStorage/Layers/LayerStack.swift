import ValueFormats

/// The layers around the contents of a layered store's writable layer.
///
/// A class, so that the contents of a plain store are not larger.
final class LayerStack: Sendable {
  let format: LayeredFormat
  /// The contents of each layer; nil for layers of texts, and for the writable layer.
  let contents: [KeyValueContents?]
  /// Whether only the writable layer is visible, as in migrations.
  private let hidesOthers: Bool

  init(format: LayeredFormat, contents: [KeyValueContents?], hidesOthers: Bool = false) {
    self.format = format
    self.contents = contents
    self.hidesOthers = hidesOthers
  }

  /// The same layers, of which only the writable one is visible.
  var hidingOthers: LayerStack {
    LayerStack(format: format, contents: contents, hidesOthers: true)
  }

  /// Returns the values of a key in all layers, with that of the writable layer; nil if none.
  func value(
    of key: StoredKey, writable: EncodedValue?, in range: Range<Int> = 0..<128
  ) -> EncodedValue? {
    var result: [UInt8] = []
    // Without a writable layer, the changed value is that of an additional layer.
    for index in range.clamped(to: 0..<max(contents.count, format.writableIndex + 1)) {
      let isWritable = index == format.writableIndex
      if hidesOthers, !isWritable { continue }
      guard let value = isWritable ? writable : self.value(of: key, at: index) else { continue }
      LayeredFormat.append(value, at: index, to: &result)
      if !format.isMergeable(value, at: index, key: key) { break }
    }
    return result.isEmpty ? nil : result[...]
  }

  private func value(of key: StoredKey, at index: Int) -> EncodedValue? {
    switch format.layers[index] {
    case .text(let text): text.value(of: key).map { _ in ArraySlice(key.string.utf8) }
    case .stored: contents[index]?[key]
    }
  }

  /// Returns the values of a key in the layers above the writable one.
  func higherValue(of key: StoredKey) -> EncodedValue? {
    value(of: key, writable: nil, in: 0..<format.writableIndex)
  }

  /// Returns the values of a key in the layers below the writable one.
  func lowerValue(of key: StoredKey) -> EncodedValue? {
    value(of: key, writable: nil, in: format.writableIndex..<128)
  }

  /// The keys of the other layers.
  var keys: [StoredKey] {
    if hidesOthers { return [] }
    return contents.flatMap { $0?.entries.map(\.key) ?? [] } + format.textLayers.flatMap(\.keys)
  }

  /// Whether no layer of a file has values.
  var isEmpty: Bool { contents.allSatisfy { $0?.isEmpty ?? true } }

  /// Whether a layer with values has become empty.
  func hasEmptied(since earlier: LayerStack?) -> Bool {
    zip(contents, earlier?.contents ?? []).contains { newer, older in
      newer?.isEmpty == true && older?.isEmpty == false
    }
  }

  static func changedKeys(_ first: LayerStack?, _ second: LayerStack?) -> [StoredKey] {
    guard let contents = first?.contents ?? second?.contents else { return [] }
    return contents.indices.flatMap { index in
      KeyValueContents.changedKeys(first?.contents[index], second?.contents[index])
    }
  }
}

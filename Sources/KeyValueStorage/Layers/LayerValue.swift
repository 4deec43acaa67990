import ValueFormats

/// The encoded value of a key in a layer.
struct LayerValue: Sendable {
  enum Kind: UInt8 {
    case json, xml, binary
    /// Text without a form.
    case text
    /// Members of a structure, whose values are such text, in JSON.
    case members
    /// Members by the names of their variables.
    case variables
    /// The reason why there is no valid value, as a clause.
    case problem
  }

  let kind: Kind
  let bytes: EncodedValue

  init(_ kind: Kind, _ bytes: EncodedValue) {
    self.kind = kind
    self.bytes = bytes
  }

  init(_ bytes: EncodedValue, in format: KeyValueFormat) {
    let kind: Kind =
      switch format {
      case .json: .json
      case .xml: .xml
      case .binary: .binary
      }
    self.init(kind, bytes)
  }

  static func problem(_ reason: String) -> LayerValue {
    LayerValue(.problem, ArraySlice(reason.utf8))
  }

  /// Whether a structure in a lower layer may complete the value.
  var mayBeStructure: Bool {
    switch kind {
    case .json, .text: bytes.first { !$0.isWhitespace } == UInt8(ascii: "{")
    case .xml: bytes.starts(with: "<dict".utf8)
    case .binary: if case .dictionary? = try? tree() { true } else { false }
    case .members, .variables: true
    case .problem: false
    }
  }

  func tree() throws(FormatError) -> ValueTree {
    switch kind {
    case .json: return try JSONFormat().decode(bytes)
    case .xml: return try XMLPropertyListFormat().decode(bytes)
    case .binary: return try BinaryPropertyListFormat().decode(bytes)
    case .text: return .layered(.text(String(decoding: bytes, as: UTF8.self)))
    case .members, .variables:
      return try JSONFormat().decode(bytes).withText(inVariables: kind == .variables)
    case .problem: throw FormatError(reason: String(decoding: bytes, as: UTF8.self), offset: 0)
    }
  }
}

extension ValueTree {
  /// The tree with text without a form in place of each string.
  fileprivate func withText(inVariables isOfVariables: Bool) -> ValueTree {
    switch self {
    case .string(let text): return .layered(.text(text))
    case .dictionary(let members):
      let members = members.mapValues { $0.withText(inVariables: isOfVariables) }
      return isOfVariables ? .layered(.variables(members)) : .dictionary(members)
    default: return self
    }
  }
}

/// Values of layers as one sequence of bytes, which a store handles like those of a file.
///
/// It begins with a byte that is in no format of a file.
enum LayeredBytes {
  private static let marker: UInt8 = 0xFF
  private static let noIndex = 0xFF

  /// Whether bytes are values of layers instead of one of the store's file.
  static func areLayered(_ bytes: EncodedValue) -> Bool { bytes.first == marker }

  /// Joins the values of a key; `own` is the index of that of the writable file, or nil if it has
  /// none.
  static func joined(_ values: [LayerValue], own: Int?) -> EncodedValue {
    var bytes = [marker, UInt8(clamping: own ?? noIndex)]
    for value in values {
      bytes.append(value.kind.rawValue)
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: value.bytes.count >> ($0 * 8)) }
      bytes += value.bytes
    }
    return bytes[...]
  }

  /// Returns the values of the layers, of which the first is the highest.
  static func values(in bytes: EncodedValue) -> [LayerValue] {
    var (values, rest) = ([LayerValue](), bytes.dropFirst(2))
    // The bytes were made by `joined`.
    while let kind = rest.popFirst().flatMap(LayerValue.Kind.init) {
      let count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(8)
      values.append(LayerValue(kind, rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return values
  }

  /// Returns the value of the writable file in the bytes of any value; nil if it has none.
  static func own(in bytes: EncodedValue) -> EncodedValue? {
    guard areLayered(bytes) else { return bytes }
    let index = bytes.dropFirst().first.map(Int.init) ?? noIndex
    let values = values(in: bytes)
    return values.indices.contains(index) ? values[index].bytes : nil
  }
}

/// The format of the values of a store with layers: that of its writable file, or values of layers.
struct LayeredFormat: StoredFormat {
  let base: any StoredFormat

  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile { try base.parse(file) }

  func join(_ parts: [ArraySlice<KeyValueEntry>], _ surroundings: FileSurroundings) -> [UInt8] {
    base.join(parts, surroundings)
  }

  func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry {
    base.entry(key, value)
  }

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] { try base.encode(tree) }

  func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree {
    guard LayeredBytes.areLayered(value) else { return try base.decode(value) }
    var trees: [ValueTree] = []
    for value in LayeredBytes.values(in: value) { trees.append(try value.tree()) }
    guard let tree = ValueTree(layers: trees) else {
      throw FormatError(reason: "no layer has a value", offset: 0)
    }
    return tree
  }
}

/// A value whose form is only known when a type reads it, because it comes from layers of settings.
package enum LayeredValue: Hashable, Sendable {
  /// Text of a command line or an environment: JSON for an array or a dictionary.
  case text(String)
  /// Members of a structure, by their names in an environment; see `variableName`.
  case variables([StoredKey: ValueTree])
  /// The values of at least two layers, of which the first may be a structure.
  ///
  /// A structure has each member of the first layer that has it. Any other type reads the first
  /// value.
  case layers([ValueTree])
}

/// A type of which each value has its own keys, so that values of layers are not merged.
private protocol KeyedByContent {}
extension Dictionary: KeyedByContent {}

extension ValueTree {
  /// Returns the value of several layers, or nil for none; those below the first one only matter
  /// if it may be a structure.
  package init?(layers: [ValueTree]) {
    guard let first = layers.first else { return nil }
    self = layers.count > 1 && first.mayBeStructure ? .layered(.layers(layers)) : first
  }

  private var mayBeStructure: Bool {
    switch self {
    case .dictionary, .layered(.variables), .layered(.layers): true
    case .layered(.text(let text)): text.mayBeJSON(beginningWith: "{")
    default: false
    }
  }

  /// The layers that are structures, up to the first one that is none; nil if there are none.
  var structure: ValueTree? {
    switch self {
    case .dictionary, .layered(.variables): return self
    case .layered(.text(let text)):
      return text.json(beginningWith: "{")
    case .layered(.layers(let layers)):
      var structures: [ValueTree] = []
      for layer in layers {
        guard let structure = layer.structure else { break }
        structures.append(structure)
      }
      return ValueTree(layers: structures)
    default: return nil
    }
  }

  /// The elements of the first layer; nil if it is not an array.
  var elements: [ValueTree]? {
    switch self {
    case .array(let elements): return elements
    case .layered(.layers(let layers)): return layers[0].elements
    case .layered(.text(let text)):
      guard case .array(let elements)? = text.json(beginningWith: "[") else { return nil }
      return elements
    default: return nil
    }
  }

  /// Returns the member of a structure, from all layers that have it; nil if there is none.
  func member(_ key: StoredKey) -> ValueTree? {
    switch self {
    case .dictionary(let members): members.value(matching: key)
    case .layered(.variables(let members)): members[StoredKey(key.string.variableName)]
    case .layered(.layers(let layers)):
      ValueTree(layers: layers.compactMap { $0.member(key) })
    default: nil
    }
  }

  /// The keys of a structure of any layer; those of an environment are names of variables.
  var memberKeys: Set<StoredKey> {
    switch self {
    case .dictionary(let members), .layered(.variables(let members)): Set(members.keys)
    case .layered(.layers(let layers)): layers.reduce(into: []) { $0.formUnion($1.memberKeys) }
    default: []
    }
  }

  /// The text of a layer as a number; any other value, and text that is no number, is returned as
  /// it is.
  package var withNumber: ValueTree {
    guard case .layered(.text(let text)) = self, DecimalDigits(text) != nil else { return self }
    return .number(.text(text))
  }

  /// The value without a type: text is a string, and a dictionary has the members of all layers.
  package var plain: ValueTree {
    guard case .layered(let value) = self else { return self }
    switch value {
    case .text(let text): return .string(text)
    case .variables(let members): return .dictionary(members.mapValues(\.plain))
    case .layers(let layers):
      guard let structure else { return layers[0].plain }
      var keys = structure.memberKeys
      // A variable whose member another layer spells out is that member.
      let named = Set(
        keys.filter { $0.string.variableName != $0.string }.map(\.string.variableName))
      keys = keys.filter { !named.contains($0.string) }
      return .dictionary(
        keys.reduce(into: [:]) { $0[$1] = structure.member($1)?.plain })
    }
  }
}

extension LayeredValue {
  /// Returns the value that a type reads; nil if the type's own code reads it, such as that of a
  /// structure.
  func value(
    for type: Any.Type, at path: @autoclosure () -> CodingPath?
  ) throws -> ValueTree? {
    switch self {
    case .text(let text): return text.tree(for: type)
    case .variables where type is any KeyedByContent.Type:
      throw DecodingError(.unnamedKeys, of: type, at: path())
    case .variables: return nil
    case .layers(let layers) where type is any KeyedByContent.Type: return layers[0]
    case .layers(let layers):
      guard case .layered(.text(let text)) = layers[0] else { return nil }
      return text.tree(for: type)
    }
  }
}

extension String {
  /// Returns the text as a value of a standard type; nil for other types.
  fileprivate func tree(for type: Any.Type) -> ValueTree? {
    if type == Bool.self {
      return Self.booleans[lowercased()].map(ValueTree.bool) ?? .string(self)
    }
    switch ValueTree.form(of: type) {
    case .string?: return .string(self)
    case .number?:
      let number = ValueTree.layered(.text(self)).withNumber
      return if case .number = number { number } else { .string(self) }
    default: return nil
    }
  }

  private static let booleans = [
    "true": true, "yes": true, "on": true, "1": true,
    "false": false, "no": false, "off": false, "0": false,
  ]

  fileprivate func mayBeJSON(beginningWith character: Unicode.Scalar) -> Bool {
    utf8.first { !$0.isWhitespace } == UInt8(ascii: character)
  }

  /// Parses JSON that begins with a bracket or a brace; returns nil for other text.
  fileprivate func json(beginningWith character: Unicode.Scalar) -> ValueTree? {
    if !mayBeJSON(beginningWith: character) { return nil }
    return try? JSONFormat(.plain).decode(ArraySlice(utf8))
  }

  /// The name of a key in an environment, such as `LOG_LEVEL` for `logLevel` and `SERVER_PORT` for
  /// `server.port`.
  ///
  /// Letters are uppercase, an underscore is before each word that begins with an uppercase letter,
  /// and other characters of ASCII are underscores. The rest is unchanged.
  package var variableName: String {
    let bytes = Array(utf8)
    var name: [UInt8] = []
    name.reserveCapacity(bytes.count + 4)
    for (index, byte) in bytes.enumerated() {
      if byte.isUppercase, index > 0 {
        let isAfterWord = bytes[index - 1].isLowercase || bytes[index - 1].isDigit
        let isBeforeWord = index + 1 < bytes.count && bytes[index + 1].isLowercase
        if isAfterWord || bytes[index - 1].isUppercase && isBeforeWord {
          name.append(UInt8(ascii: "_"))
        }
      }
      let isKept = byte >= 0x80 || byte.isUppercase || byte.isDigit
      name.append(byte.isLowercase ? byte & 0xDF : isKept ? byte : UInt8(ascii: "_"))
    }
    return String(decoding: name, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isUppercase: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
  fileprivate var isLowercase: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
}

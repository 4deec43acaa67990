/// The members of a value in several layers, highest first.
final class LayeredMembers {
  private enum Layer {
    case entries([StoredKey: ValueTree], name: String?)
    case text(TextValue)
  }

  private var layers: [Layer] = []

  init(_ tree: LayeredTree) throws(ValueCodingError.Problem) {
    for part in tree.parts {
      switch part {
      case .tree(.dictionary(let entries), let name): layers.append(.entries(entries, name: name))
      case .tree(let tree, let name):
        if !layers.isEmpty { return }
        throw tree.isNot(.dictionary).inText(name)
      case .text(let text):
        let json = try text.json()
        guard case .dictionary(let entries) = json ?? .dictionary([:]) else {
          if !layers.isEmpty { return }
          throw .inText("expected a dictionary in JSON", name: text.name)
        }
        // The text of a member is more specific than that of the structure.
        layers.append(.text(text))
        if json != nil { layers.append(.entries(entries, name: text.name)) }
      }
    }
  }

  /// The entries of the first layer.
  ///
  /// Only dictionaries and enumerations ask for all entries, so the other layers are not merged.
  func allEntries() -> [StoredKey: ValueTree] {
    for layer in layers {
      if case .entries(let entries, _) = layer {
        layers = [layer]
        return entries
      }
    }
    return [:]
  }

  /// Returns a member's values in all layers; nil if no layer has the member.
  func member(_ key: String) -> ValueTree? {
    let parts = layers.compactMap { layer -> LayeredTree.Part? in
      switch layer {
      case .entries(let entries, let name): entries.member(key)?.value.map { .tree($0, name: name) }
      case .text(let text): text.member(key).map { .text($0) }
      }
    }
    return parts.isEmpty ? nil : .layers(parts)
  }

  /// Returns the members of all dictionaries, each with its values in all layers.
  ///
  /// The texts of other members are ignored, because their names do not determine keys.
  func mergedEntries() -> [StoredKey: ValueTree] {
    var merged: [StoredKey: ValueTree] = [:]
    for case .entries(let entries, _) in layers {
      for key in entries.keys where merged[key] == nil {
        let parts = layers.compactMap { layer -> LayeredTree.Part? in
          switch layer {
          // By bytes, because the search for equivalent keys takes linear time.
          case .entries(let entries, let name): entries[key].map { .tree($0, name: name) }
          case .text(let text): text.member(key.string).map { .text($0) }
          }
        }
        merged[key] = .layers(parts)
      }
    }
    return merged
  }
}

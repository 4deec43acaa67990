/// A step on the way from a value to a part of it.
package enum ValueStep: Hashable, Sendable {
  case key(StoredKey)
  case index(Int)
}

extension [ValueStep] {
  /// The path of a part of the value of a key, such as `servers[2].port`; at most 200 characters.
  ///
  /// A key that is empty or could be a path or several words is in quotation marks.
  package func keyPath(from key: String) -> String {
    var path = key.shown(atMost: Self.limit)
    if key.isEmpty || key.contains(where: { ".[ ".contains($0) }) { path = "\"\(path)\"" }
    for step in self {
      switch step {
      case .key(let key): path += ".\(key.string.shown(atMost: Self.limit))"
      case .index(let index): path += "[\(index)]"
      }
      // The limit also bounds the time for a value that is nested deep.
      if path.utf8.count > 4 * Self.limit { break }
    }
    return path.shown(atMost: Self.limit)
  }

  private static var limit: Int { 200 }
}

extension ValueTree {
  /// Returns a part of the value; nil if there is none.
  package func part(at path: some Sequence<ValueStep>) -> ValueTree? {
    var tree = self
    for step in path {
      switch (tree, step) {
      case (.dictionary(let members), .key(let key)):
        guard let member = members[key] else { return nil }
        tree = member
      case (.array(let elements), .index(let index)) where elements.indices.contains(index):
        tree = elements[index]
      default: return nil
      }
    }
    return tree
  }

  /// The value in a message about a setting: at most 40 characters of a single value, or the kind
  /// of a container.
  package var shown: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(.integer(let number)): "\(number)"
    case .number(.real(let number)): "\(number)"
    case .number(.float(let number)): "\(number)"
    case .number(.text(let text)): text.shown(atMost: 40)
    case .string(let text): "\"\(text.shown(atMost: 40))\""
    case .data: "data"
    case .date: "a date"
    case .array: "an array"
    case .dictionary: "a dictionary"
    }
  }
}

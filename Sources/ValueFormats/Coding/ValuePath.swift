/// The path to a value in a settings file: keys, and indices of array elements.
///
/// Unlike ``ValueCodingError/path``, it contains all keys, so it must not be used for secrets.
package struct ValuePath: Hashable, Sendable {
  package enum Component: Hashable, Sendable {
    /// A key; canonically equivalent keys are equal.
    case key(String)
    case index(Int)
  }

  package var components: [Component]

  package init(_ components: some Sequence<Component> = []) {
    self.components = Array(components)
  }

  /// Creates a path from coding keys.
  init(_ keys: some Sequence<any CodingKey>) {
    components = keys.map { key in
      if key is IndexKey, let index = key.intValue { return .index(index) }
      return .key(key.stringValue)
    }
  }

  package static func + (path: ValuePath, component: Component) -> ValuePath {
    ValuePath(path.components + [component])
  }

  package var parent: ValuePath { ValuePath(components.dropLast()) }

  /// Returns this path inside the value of a key.
  package func inside(_ key: String) -> ValuePath { ValuePath([.key(key)] + components) }
}

extension ValuePath: CustomStringConvertible {
  /// The path in a message, such as `server.ports[1]`; the middle of a long path is omitted.
  package var description: String {
    var text = ""
    for component in components {
      switch component {
      case .index(let index): text += "[\(index)]"
      case .key(let key): text += (text.isEmpty ? "" : ".") + Self.quotedIfNeeded(key)
      }
    }
    return text.count <= 300 ? text : "\(text.prefix(150))…\(text.suffix(150))"
  }

  /// Returns a key in quotation marks if it could be mistaken for a part of the message.
  private static func quotedIfNeeded(_ key: String) -> String {
    let isPlain = key.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-$".unicodeScalars.contains($0)
    }
    return isPlain && !key.isEmpty ? key : String(reflecting: key)
  }
}

extension ValueTree {
  /// Returns whether there is a value at a path.
  package func hasValue(at path: ValuePath) -> Bool {
    var tree = self
    for component in path.components {
      switch (component, tree) {
      case (.key(let key), .dictionary(let entries)):
        guard let member = entries.member(key)?.value else { return false }
        tree = member
      case (.index(let index), .array(let elements)) where elements.indices.contains(index):
        tree = elements[index]
      default: return false
      }
    }
    return true
  }
}

/// The paths to locate in an encoded value, as a tree, and the positions that a reader found.
package final class PathNode {
  private(set) var children: [ValuePath.Component: PathNode] = [:]
  /// The offset of the value from the beginning of the input in bytes; nil if it was not found.
  private(set) var offset: Int?

  package init(_ paths: some Sequence<ValuePath> = EmptyCollection()) {
    for path in paths {
      var node = self
      for component in path.components {
        let child = node.children[component] ?? PathNode()
        node.children[component] = child
        node = child
      }
    }
  }

  /// Records the offset of the value; the first of several equivalent keys counts.
  func found(at offset: Int) { self.offset = self.offset ?? offset }

  /// Returns the offset of the value at a path, or of the innermost container that was found.
  package func offset(of path: ValuePath) -> Int? {
    var (node, result) = (self, offset)
    for component in path.components {
      guard let child = node.children[component], let offset = child.offset else { break }
      (node, result) = (child, offset)
    }
    return result
  }
}

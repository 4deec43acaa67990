/// The values of one key in several layers, which the requested type selects or merges.
///
/// A structure has each member from the first layer with that member. A value of any other type is
/// that of the first layer.
package struct LayeredTree: Hashable, Sendable {
  /// The value in one layer.
  package enum Part: Hashable, Sendable {
    /// An encoded value; `name` is that of the text in which it is written, if there is one.
    case tree(ValueTree, name: String?)
    case text(TextValue)

    /// Whether lower layers may have other members of the value.
    fileprivate var isMergeable: Bool {
      switch self {
      case .tree(.dictionary, _): true
      case .tree: false
      case .text(let text): text.isMergeable
      }
    }
  }

  /// The values, highest layer first, without those that the first one hides in any type.
  let parts: [Part]

  init(_ parts: [Part]) {
    let end = parts.firstIndex { !$0.isMergeable }
    self.parts = Array(parts[...(end ?? parts.count - 1)])
  }

  var isNull: Bool {
    switch parts[0] {
    case .tree(let tree, _): tree.isNull
    case .text(let text): text.isNull
    }
  }

  /// The first value that does not only consist of members.
  private var first: Part? {
    parts.first { part in
      if case .text(let text) = part { return !text.texts.isEmpty }
      return true
    }
  }

  /// Converts the first value for a type that is not encoded as an array or a dictionary.
  ///
  /// If the type is nil, a text is JSON if possible, and else a string.
  func converted<Result>(
    for type: Any.Type?,
    _ convert: (ValueTree) throws(ValueCodingError.Problem) -> Result
  ) throws(ValueCodingError.Problem) -> Result {
    switch first {
    case nil: return try convert(.dictionary([:]))
    case .tree(let tree, let name):
      do {
        return try convert(tree)
      } catch {
        throw error.inText(name)
      }
    case .text(let text):
      do {
        guard let type else { return try convert(text.untypedTree) }
        return try convert(try text.tree(as: type))
      } catch {
        throw text.problem(error)
      }
    }
  }

  /// Returns the elements of an array.
  func elements() throws(ValueCodingError.Problem) -> [ValueTree] {
    switch first {
    case nil: throw ValueTree.dictionary([:]).isNot(.array)
    case .tree(.array(let elements), let name):
      return name == nil
        ? elements : elements.map { .layered(LayeredTree([.tree($0, name: name)])) }
    case .tree(let tree, let name): throw tree.isNot(.array).inText(name)
    case .text(let text): return try text.elements().map { .layered(LayeredTree([$0])) }
    }
  }

  /// Names the text in an error of a value that consists of one text.
  func naming(_ error: any Error) -> any Error {
    guard parts.count == 1 else { return error }
    let name: String? =
      switch parts[0] {
      case .tree(_, let name): name
      case .text(let text): text.name
      }
    guard let name else { return error }
    let problem = ValueCodingError(decoding: Any.self, error).problem.inText(name)
    let decodingError = error as? DecodingError
    let context = DecodingError.Context(
      codingPath: decodingError?.context?.codingPath ?? [], debugDescription: problem.clause,
      underlyingError: problem)
    // A default value may have the missing member.
    if case .keyNotFound(let key, _)? = decodingError {
      return DecodingError.keyNotFound(key, context)
    }
    return DecodingError.dataCorrupted(context)
  }
}

extension ValueTree {
  /// Creates the tree of a value in one or more layers, highest first.
  package static func layers(_ parts: [LayeredTree.Part]) -> ValueTree {
    if parts.count == 1, case .tree(let tree, name: nil) = parts[0] { return tree }
    return .layered(LayeredTree(parts))
  }

  /// The value in each layer, highest first.
  package var parts: [LayeredTree.Part] {
    if case .layered(let layered) = self { layered.parts } else { [.tree(self, name: nil)] }
  }
}

extension StoredFormat {
  /// Whether an encoded value is a dictionary.
  package func isDictionary(_ value: ArraySlice<UInt8>) -> Bool {
    guard self is BinaryPropertyListFormat else {
      return value.starts(with: "{".utf8) || value.starts(with: "<dict".utf8)
    }
    do {
      let table = try BinaryObjectTable(value)
      return try table.object(table.root).kind == .dictionary
    } catch {
      return false
    }
  }
}

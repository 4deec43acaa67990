extension ValueTree {
  /// Converts the value of a decoder for a program that does not know its type; returns nil if the
  /// decoder does not decode trees.
  ///
  /// Dictionaries in several layers are merged member by member, and nothing else is. A text is
  /// JSON if possible, and else a string.
  package static func merged(
    of decoder: any Decoder,
    _ convert: (ValueTree) throws(ValueCodingError.Problem) -> ValueTree
  ) throws -> ValueTree? {
    guard let reader = decoder as? TreeReader else { return nil }
    return try reader.tree.merged(at: reader.path, convert)
  }

  private func merged(
    at path: CodingPath?, _ convert: (ValueTree) throws(ValueCodingError.Problem) -> ValueTree
  ) throws -> ValueTree {
    let entries: [StoredKey: ValueTree]
    do throws(ValueCodingError.Problem) {
      guard case .layered(let layered) = self else { return try convert(self) }
      entries = layered.mergedEntries
      if entries.isEmpty { return try layered.converted(for: nil, convert) }
    } catch {
      // Its path determines the layer of an invalid member.
      throw DecodingError(error, of: Any.self, at: path)
    }
    var merged: [StoredKey: ValueTree] = [:]
    for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
      let path = CodingPath(MemberKey(stringValue: key.string), in: path)
      merged[key] = try value.merged(at: path, convert)
    }
    return .dictionary(merged)
  }
}

extension LayeredTree {
  /// The members of a dictionary in several layers; empty for any other value.
  fileprivate var mergedEntries: [StoredKey: ValueTree] {
    if parts.count == 1, case .tree = parts[0] { return [:] }
    do throws(ValueCodingError.Problem) {
      return try LayeredMembers(self).mergedEntries()
    } catch {
      // The first value is not a dictionary.
      return [:]
    }
  }
}

extension TextValue {
  /// The value as JSON if it is valid, and else as a string.
  var untypedTree: ValueTree {
    do throws(ValueCodingError.Problem) {
      return try json() ?? .dictionary([:])
    } catch {
      // Only a single text can be invalid.
      return .string(texts[0])
    }
  }
}

private struct MemberKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { return nil }
}

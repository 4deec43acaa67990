extension ValueTree {
  /// Decodes a value, and takes each missing member of a structure from an encoded default value.
  ///
  /// The first attempt decodes only the stored tree. If it fails because a key is missing, the
  /// member at exactly this path of the default value is added, and decoding is repeated. Members
  /// whose absence a type accepts are never added: an absent optional is nil, and a hand-written
  /// `init(from:)` that tests for keys finds only the stored ones. Nothing is added to an element
  /// of an array, because its index does not identify an element of the default value.
  ///
  /// Each attempt adds a member, so there are at most as many as the default value has members.
  ///
  /// The closure, which encodes the default value, is called once if a key is missing, and else not
  /// at all. If it is nil or throws, the error about the missing key stands. Errors are those of
  /// the standard library.
  package func decoded<Value: Decodable>(
    as type: Value.Type, recording usage: MemberUsage?,
    default defaultTree: (() throws(ValueCodingError) -> ValueTree)?
  ) throws -> Value {
    var tree = self
    var defaults: ValueTree?
    var additions: [(path: [String], missing: any Error)] = []
    while true {
      let failure: any Error
      do {
        return try tree.decoded(as: type, recording: usage)
      } catch {
        failure = error
      }
      let error = failure as? DecodingError
      if let path = error?.pathOfMissingMember, let defaultTree {
        do throws(ValueCodingError) {
          if defaults == nil { defaults = try defaultTree() }
        } catch {
          // A default value that cannot be encoded has no member to add.
        }
        // In layers, an added member may be hidden.
        let isNew = !additions.contains { $0.path == path }
        if let defaults, isNew, tree.addMember(at: path[...], from: defaults) {
          additions.append((path, failure))
          continue
        }
      }
      // If an added member is not valid, the true reason is that the stored one is missing.
      let path = error?.path ?? []
      let addition = additions.first { path.starts(with: $0.path) }
      throw addition?.missing ?? failure
    }
  }
}

extension ValueTree {
  /// Adds a member from the same path of another tree; returns false if this is not possible.
  fileprivate mutating func addMember(at path: ArraySlice<String>, from tree: ValueTree) -> Bool {
    if case .layered(let layered) = self {
      guard let completed = layered.addingMember(at: path, from: tree) else { return false }
      self = completed
      return true
    }
    guard case .dictionary(var members) = self, case .dictionary(let defaults) = tree,
      let name = path.first, let added = defaults.member(name)?.value
    else { return false }
    let (key, present) = members.member(name) ?? (StoredKey(name), nil)
    if path.count == 1 {
      if present != nil { return false }
      members[key] = added
    } else {
      guard var member = present, member.addMember(at: path.dropFirst(), from: added) else {
        return false
      }
      members[key] = member
    }
    self = .dictionary(members)
    return true
  }

  /// Returns a dictionary with only the member at a path; nil if there is none.
  fileprivate func only(_ path: ArraySlice<String>) -> ValueTree? {
    guard let name = path.first else { return self }
    guard case .dictionary(let members) = self,
      let member = members.member(name)?.value?.only(path.dropFirst())
    else { return nil }
    return .dictionary([StoredKey(name): member])
  }
}

extension LayeredTree {
  /// Adds a member to the first layer that has its dictionary, or as the lowest layer if only texts
  /// have it; returns nil if this is not possible.
  fileprivate func addingMember(at path: ArraySlice<String>, from tree: ValueTree) -> ValueTree? {
    var parts = parts
    for (index, part) in parts.enumerated() {
      guard case .tree(var value, let name) = part, value.addMember(at: path, from: tree) else {
        continue
      }
      parts[index] = .tree(value, name: name)
      return .layers(parts)
    }
    return tree.only(path).map { .layers(parts + [.tree($0, name: nil)]) }
  }
}

extension [StoredKey: ValueTree] {
  /// Returns the member with a name, or else one whose key is canonically equivalent.
  func member(_ name: String) -> (key: StoredKey, value: ValueTree?)? {
    let key = StoredKey(name)
    if let value = self[key] { return (key, value) }
    if key.isASCII { return nil }
    return filter { $0.key.string == name }.max { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension DecodingError {
  /// The path of a key that a container did not find; nil for other errors.
  ///
  /// A decoder of another format, which an app uses within a type, has paths of its own.
  fileprivate var pathOfMissingMember: [String]? {
    guard case .keyNotFound(let key, let context) = self,
      context.underlyingError is ValueCodingError.Problem
    else { return nil }
    return path + [key.stringValue]
  }

  fileprivate var path: [String] { context?.codingPath.map(\.stringValue) ?? [] }

  var context: Context? {
    switch self {
    case .keyNotFound(_, let context), .valueNotFound(_, let context),
      .typeMismatch(_, let context), .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }
}

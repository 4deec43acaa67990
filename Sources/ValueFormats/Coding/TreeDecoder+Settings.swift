// Decoding settings, whose missing members are taken from a default value.
extension TreeDecoder {
  /// Returns the maximum number of members that are taken from a default value, for a stored value
  /// of a size in bytes.
  ///
  /// Each of them repeats the decoding. The limit is 1,000 for a value of up to 1 MiB. For a larger
  /// one, it is so many that at most 1 GiB is decoded, and at least 16.
  private static func memberLimit(_ tree: ValueTree, size: Int) -> Int {
    // Each value takes at least two bytes, unless it is shared in a binary property list.
    min(1000, max(16, (1 << 30) / max(size, 2 * tree.valueCount)))
  }

  /// Decodes a setting, with an error that may contain a part of it; a missing member is taken from
  /// `defaults`, the tree of a default value.
  ///
  /// Decoding is strict. If it fails because of a missing key, it is repeated with only that key
  /// added, so that a type that handles a missing key itself decodes the stored value. The `size`
  /// of the stored value, in bytes, limits the number of repetitions. An error describes the stored
  /// value, without the added members.
  package func decodeSetting<Value: Decodable>(
    _ type: Value.Type, from tree: ValueTree, size: Int, defaults: ValueTree?
  ) throws(InvalidValue) -> Value {
    var (completed, addedCount) = (tree, 0)
    lazy var limit = Self.memberLimit(tree, size: size)
    while true {
      do {
        return try completed.value(of: type, at: nil, CodingContext(form: .setting))
      } catch {
        guard let defaults, case DecodingError.keyNotFound(let key, let context) = error,
          completed.add(
            from: defaults, at: (context.codingPath + [key]).map { StoredKey($0.stringValue) })
        else { throw InvalidValue(error, in: tree) }
        addedCount += 1
        if addedCount > limit {
          let problem = ValueCodingError.Problem.tooManyMissing(limit: limit)
          throw InvalidValue(DecodingError(problem, of: type, at: nil), in: tree)
        }
      }
    }
  }
}

extension ValueTree {
  /// The number of values in this one, itself included; a shared value is counted at each place.
  fileprivate var valueCount: Int {
    switch self {
    case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
    case .dictionary(let members): members.values.reduce(1) { $0 + $1.valueCount }
    default: 1
    }
  }

  /// Adds the value of `defaults` at a path; returns false if this tree already has a value there,
  /// or if one of the two has no dictionary on the way.
  ///
  /// No path leads through an array, because elements at the same index need not correspond.
  fileprivate mutating func add(from defaults: ValueTree, at path: [StoredKey]) -> Bool {
    var (present, addition, keys) = (Optional(self), defaults, [StoredKey]())
    for key in path {
      guard case .dictionary(let members)? = present, case .dictionary(let source) = addition,
        let next = source[key]
      else { return false }
      let match = members.key(matching: key)
      present = match.flatMap { members[$0] }
      addition = next
      keys.append(match ?? key)
    }
    guard present == nil else { return false }
    insert(addition, at: keys[...])
    return true
  }

  /// Inserts a value at a path of keys, whose last one alone is missing.
  private mutating func insert(_ value: ValueTree, at path: ArraySlice<StoredKey>) {
    guard let key = path.first, case .dictionary(var members) = self else { return self = value }
    // A second reference to the members would make the change copy all of them.
    self = .null(depth: 0)
    members[key, default: .null(depth: 0)].insert(value, at: path.dropFirst())
    self = .dictionary(members)
  }
}

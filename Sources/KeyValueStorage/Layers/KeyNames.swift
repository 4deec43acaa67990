import Concurrency
import ValueFormats

/// The names of keys in a layer of text, by which two keys of one name are found.
struct KeyNames: Sendable {
  let naming: TextLayer.Naming
  private var keys: [StoredKey: StoredKey] = [:]
  /// The keys whose names begin with another name and two underscores, by that name.
  private var members: [StoredKey: StoredKey] = [:]

  init(_ naming: TextLayer.Naming) { self.naming = naming }

  /// Adds the name of a key, unless another key has it or a member of that key's value would.
  ///
  /// - Returns: The other key.
  mutating func add(_ key: StoredKey) -> StoredKey? {
    let name = StoredKey(naming.name(of: key))
    if let known = keys[name] { return known == key ? nil : known }
    let parts = TextLayer.parts(of: name.string)
    let beginnings = parts.indices.dropLast().map { index in
      StoredKey(parts[...index].joined(separator: "__"))
    }
    let owner = beginnings.first { keys[$0] != nil }.flatMap { keys[$0] }
    if let other = members[name] ?? owner { return other }
    keys[name] = key
    for beginning in beginnings { members[beginning] = key }
    return nil
  }

  /// Removes all names but those of these keys.
  mutating func keep(_ kept: some Sequence<StoredKey>) {
    self = KeyNames(naming)
    for key in kept { _ = add(key) }
  }
}

/// The keys that have a name in common with another key of the store.
final class AmbiguousKeys: Sendable {
  private let others = Lock<[StoredKey: StoredKey]>([:])

  /// Another key of the same name; nil if there is none.
  subscript(key: StoredKey) -> StoredKey? { others.withLock { $0[key] } }

  /// Records that two keys have one name; returns false if this is known.
  func add(_ first: StoredKey, _ second: StoredKey) -> Bool {
    others.withLock { others in
      // An app may make any number of such keys.
      if others[first] != nil || others.count >= 10_000 { return false }
      others[first] = second
      if others[second] == nil { others[second] = first }
      return true
    }
  }
}

import Concurrency
import ValueFormats

/// A layer of texts: the environment, or the command line.
final class TextLayer: TextSource {
  /// The names in one process that properties have used.
  private struct Use: Sendable {
    /// The keys of each name, in the order of their first use.
    var keys: [StoredKey: [StoredKey]] = [:]
    /// The key of a member for each name that a structure with this member has.
    var members: [StoredKey: StoredKey] = [:]
    /// The names that are keys or members.
    var names: Set<StoredKey> = []
    /// The member's key of each name.
    var memberKeys: [StoredKey: String] = [:]
    /// Two members of one name, for the name of each structure around them.
    var memberConflicts: [StoredKey: (String, String, name: String)] = [:]
  }

  let naming: TextNaming
  private let texts: [StoredKey: [String]]
  /// The names in order.
  private let names: [String]
  /// The names of which a text may be that of a member.
  private let structureNames: Set<StoredKey>
  private let use = Lock(Use(), inForkedChild: { Use() })

  init(_ naming: TextNaming, _ texts: [(name: String, text: String)]) {
    self.naming = naming
    self.texts = texts.reduce(into: [:]) { $0[StoredKey($1.name), default: []].append($1.text) }
    names = self.texts.keys.sorted().map(\.string)
    structureNames = Set(names.flatMap(naming.structures))
  }

  var listsElements: Bool { naming == .commandLine }

  func member(_ key: String, of structure: String) -> TextValue? {
    let name = naming.name(ofMember: key, of: structure)
    use.withLock { use in
      use.names.insert(StoredKey(name))
      let other = use.memberKeys[StoredKey(name), default: key]
      use.memberKeys[StoredKey(name)] = other
      if other == key { return }
      for structure in naming.structures(of: name) {
        use.memberConflicts[structure] = (other, key, name)
      }
    }
    return found(name, texts[StoredKey(name)] ?? [])
  }

  /// Returns the value of a key without counting its names as used.
  func value(of key: StoredKey) -> TextValue? {
    let name = naming.name(of: key.string)
    return found(name, texts[StoredKey(name)] ?? [])
  }

  private func found(_ name: String, _ texts: [String]) -> TextValue? {
    let hasMembers = structureNames.contains(StoredKey(name))
    if texts.isEmpty, !hasMembers { return nil }
    return TextValue(name: name, texts: texts, hasMembers: hasMembers, source: self)
  }

  func has(_ name: String) -> Bool {
    texts[StoredKey(name)] != nil || structureNames.contains(StoredKey(name))
  }

  /// Returns the place of a value: its name, or that of its first member.
  func source(_ value: TextValue) -> ValueSource {
    let member = value.name + naming.separator
    let isMember = texts[StoredKey(value.name)] == nil
    let name = isMember ? names.first { $0.utf8.starts(with: member.utf8) } : nil
    return naming.source(name ?? value.name)
  }

  /// Records the key of a property; returns whether it is new.
  func declare(_ key: StoredKey) -> Bool {
    let name = naming.name(of: key.string)
    let structures = naming.structures(of: name)
    return use.withLock { use in
      if use.keys[StoredKey(name)]?.contains(key) ?? false { return false }
      use.names.insert(StoredKey(name))
      use.keys[StoredKey(name), default: []].append(key)
      for structure in structures { use.members[structure] = key }
      return true
    }
  }

  /// Returns the error of a key whose name is also that of another property's key or member, or of
  /// which two members have one name.
  func conflict(of key: StoredKey) -> KeyValueStoreError? {
    let name = naming.name(of: key.string)
    let structures = naming.structures(of: name)
    let found = use.withLock { use -> (String, String, name: String)? in
      let structure = structures.first { use.keys[$0] != nil }
      let other =
        use.keys[StoredKey(name)]?.first { $0 != key } ?? use.members[StoredKey(name)]
        ?? structure.flatMap { use.keys[$0]?.first }
      return other.map { (key.string, $0.string, name) } ?? use.memberConflicts[StoredKey(name)]
    }
    guard let (first, second, name) = found else { return nil }
    return .invalid(
      """
      The keys \(String(reflecting: first)) and \(String(reflecting: second)) have the same name, \
      \(naming.source(name)). Rename one of them.
      """)
  }

  /// The keys of properties with a value.
  var keys: [StoredKey] {
    use.withLock { $0.keys.values.flatMap { $0 } }.filter { value(of: $0) != nil }
  }

  /// The names that are neither the name of a property nor of a member.
  var unusedNames: [String] {
    let used = use.withLock { $0.names }
    return names.filter { !used.contains(StoredKey($0)) }
  }
}

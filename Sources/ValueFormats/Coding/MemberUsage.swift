/// The members of dictionaries that a decoder requested while it decoded one value.
///
/// It is used by one thread, during one call of the decoder.
package final class MemberUsage {
  /// The requested members of each dictionary that was decoded by its keys.
  private var members: [ValuePath: Set<String>] = [:]
  /// The dictionaries of which all keys were requested.
  private var enumerated: Set<ValuePath> = []

  package init() {}

  func open(_ path: CodingPath?) {
    let path = ValuePath(CodingPath.keys(to: path))
    // A subclass and its superclass open the same dictionary.
    if members[path] == nil { members[path] = [] }
  }

  func read(_ key: some CodingKey, at path: CodingPath?) {
    members[ValuePath(CodingPath.keys(to: path)), default: []].insert(key.stringValue)
  }

  func readAllKeys(at path: CodingPath?) {
    enumerated.insert(ValuePath(CodingPath.keys(to: path)))
  }

  /// Returns the paths of the members that were not requested, in the order of their keys.
  package func unread(in tree: ValueTree) -> [ValuePath] {
    var result: [ValuePath] = []
    collect(tree, at: ValuePath(), &result)
    return result
  }

  private func collect(_ tree: ValueTree, at path: ValuePath, _ result: inout [ValuePath]) {
    switch tree {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        collect(element, at: path + .index(index), &result)
      }
    case .dictionary(let entries):
      // A type that takes the whole dictionary does not request its members.
      guard let requested = members[path] else { return }
      let isEnumerated = enumerated.contains(path)
      for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
        let member = path + .key(key.string)
        if isEnumerated || requested.contains(key.string) {
          collect(value, at: member, &result)
        } else {
          result.append(member)
        }
      }
    default: break
    }
  }
}

/// A path to a nested value: a coding key, and the path to its container.
final class CodingPath {
  private let parent: CodingPath?
  private let key: any CodingKey

  init(_ key: some CodingKey, in parent: CodingPath?) {
    self.key = key
    self.parent = parent
  }

  /// Returns the coding keys of a path from the root; nil is the path to the root.
  static func keys(to path: CodingPath?) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var next = path
    while let path = next {
      keys.append(path.key)
      next = path.parent
    }
    return keys.reversed()
  }
}

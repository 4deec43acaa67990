@testable import ValueFormats

extension StoredFormat {
  func entries(_ trees: [(key: StoredKey, tree: ValueTree)]) throws -> [KeyValueEntry] {
    try trees.map { entry($0.key, try encode($0.tree)[...]) }
  }

  func trees(of file: ParsedFile) throws -> [String: ValueTree] {
    let trees = try file.entries.map { ($0.key.string, try decode($0.value)) }
    return Dictionary(uniqueKeysWithValues: trees)
  }
}

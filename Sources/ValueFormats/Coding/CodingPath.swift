/// A path to a nested value: a coding key, and the path to its container.
final class CodingPath {
  private let parent: CodingPath?
  private let key: any CodingKey

  init(_ key: some CodingKey, in parent: CodingPath?) {
    self.key = key
    self.parent = parent
  }

  /// Returns the coding keys of a path, beginning at the root, whose path is nil.
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

struct IndexKey: CodingKey {
  let intValue: Int?

  init(_ index: Int) { intValue = index }

  init?(intValue: Int) { self.init(intValue) }

  init?(stringValue: String) { return nil }

  var stringValue: String { intValue.map(String.init) ?? "" }
}

enum SuperKey: String, CodingKey {
  case `super`
}

/// The form of a value in its tree, and the depth of the containers and values around it.
struct CodingContext: Sendable {
  let form: ValueForm

  var containers = 0

  /// The number of enclosing single values, such as optionals, in the innermost container.
  var layers = 0

  /// The root of the file takes one level.
  var allowsContainer: Bool { containers + 1 < FormatLimits.depth }

  /// Only a type that contains itself can exceed the limit.
  var allowsValue: Bool { layers <= 64 }

  var insideContainer: CodingContext { CodingContext(form: form, containers: containers + 1) }

  var insideLayer: CodingContext {
    CodingContext(form: form, containers: containers, layers: layers + 1)
  }
}

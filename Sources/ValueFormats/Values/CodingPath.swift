/// The position inside of a value: a coding key, and the position of its container.
final class CodingPath {
  private let parent: CodingPath?
  private let key: any CodingKey

  init(_ key: some CodingKey, in parent: CodingPath?) {
    self.key = key
    self.parent = parent
  }

  /// Returns the coding keys from the value's top to a position; nil means the top.
  static func keys(to place: CodingPath?) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var place = place
    while let here = place {
      keys.append(here.key)
      place = here.parent
    }
    return keys.reversed()
  }
}

/// The coding key of an element of an array.
struct IndexKey: CodingKey {
  let intValue: Int?

  init(_ index: Int) { intValue = index }

  init?(intValue: Int) { self.init(intValue) }

  init?(stringValue: String) {
    guard let index = Int(stringValue) else { return nil }
    self.init(index)
  }

  var stringValue: String { intValue.map(String.init) ?? "" }
}

/// The key of a superclass if its subclass names none.
enum SuperKey: String, CodingKey {
  case `super`
}

/// The nesting depth inside of a value.
struct Nesting: Sendable {
  /// The number of enclosing arrays and dictionaries.
  private var containers = 0

  /// The number of values inside of the innermost container that are encoded as just this one:
  /// optionals and types with a single value.
  private var layers = 0

  /// Whether an array or a dictionary is allowed here; the file's own one takes one level.
  var allowsContainer: Bool { containers + 1 < FormatLimits.depth }

  /// Whether another value is allowed here; only a type that contains itself exceeds the limit.
  var allowsValue: Bool { layers <= 64 }

  var insideContainer: Nesting { Nesting(containers: containers + 1) }

  var insideLayer: Nesting { Nesting(containers: containers, layers: layers + 1) }
}

/// Where in a value something is: its coding key, and where that is.
final class CodingPath {
  private let parent: CodingPath?
  private let key: any CodingKey

  init(_ key: some CodingKey, in parent: CodingPath?) {
    self.key = key
    self.parent = parent
  }

  /// The coding keys from the value's top to a place; that of the top is nil.
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

/// The place of an element in an array.
struct IndexKey: CodingKey {
  let index: Int

  init(_ index: Int) {
    self.index = index
  }

  init?(intValue: Int) {
    index = intValue
  }

  init?(stringValue: String) {
    guard let index = Int(stringValue) else { return nil }
    self.index = index
  }

  var intValue: Int? { index }
  var stringValue: String { String(index) }
}

/// The key that a superclass is kept under when its subclass names none.
enum SuperKey: String, CodingKey {
  case `super`
}

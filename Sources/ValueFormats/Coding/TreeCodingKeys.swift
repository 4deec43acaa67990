/// The coding key of an element in an array.
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

/// The coding key of a superclass for which the subclass does not specify a key.
enum SuperKey: String, CodingKey {
  case `super`
}

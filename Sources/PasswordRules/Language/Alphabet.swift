/// The characters that a list of classes stands for.
enum Alphabet: Hashable, Sendable {
  case printable(PrintableCharacters)
  /// Every character there is.
  case unicode

  /// Joins classes; the first of `unicode` and `ascii-printable` swallows the rest, the other included,
  /// as in the reference parser.
  init(_ classes: [CharacterClass]) {
    var union = PrintableCharacters()
    for characterClass in classes {
      if characterClass == .asciiPrintable { break }
      guard let characters = characterClass.characters else {
        self = .unicode
        return
      }
      union = union.union(characters)
    }
    self = .printable(classes.contains(.asciiPrintable) ? .all : union)
  }

  /// The named classes that are complete, and one of the characters that are left over.
  var classes: [CharacterClass] {
    guard case .printable(var rest) = self else { return [.unicode] }
    if rest == .all { return [.asciiPrintable] }
    var classes: [CharacterClass] = []
    for named in [CharacterClass.upper, .lower, .digits, .special] {
      guard let characters = named.characters, rest.isSuperset(of: characters) else { continue }
      classes.append(named)
      rest = rest.subtracting(characters)
    }
    return rest.isEmpty ? classes : classes + [.custom(rest)]
  }

  var isEmpty: Bool { self == .printable(PrintableCharacters()) }

  func union(_ other: Alphabet) -> Alphabet {
    guard case .printable(let own) = self, case .printable(let others) = other else {
      return .unicode
    }
    return .printable(own.union(others))
  }

  func intersection(_ other: Alphabet) -> Alphabet {
    switch (self, other) {
    case (.unicode, let rest), (let rest, .unicode): rest
    case (.printable(let own), .printable(let others)): .printable(own.intersection(others))
    }
  }

  func isSuperset(of other: Alphabet) -> Bool {
    switch (self, other) {
    case (.unicode, _): true
    case (.printable, .unicode): false
    case (.printable(let own), .printable(let others)): own.isSuperset(of: others)
    }
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .unicode: true
    case .printable(let characters): characters.contains(scalar)
    }
  }
}

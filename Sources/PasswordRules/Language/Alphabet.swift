/// The characters of a list of classes.
enum Alphabet: Hashable, Sendable {
  case printable(PrintableCharacters)
  /// Every Unicode character.
  case unicode

  /// Joins classes, as ``AlphabetUnion`` does.
  init(_ classes: [CharacterClass]) {
    var union = AlphabetUnion()
    for characterClass in classes { union.add(characterClass) }
    self = union.alphabet
  }

  /// The complete named classes, and one class of the remaining characters.
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

  func hasAtLeast(_ count: Int) -> Bool {
    if case .printable(let characters) = self { characters.count >= count } else { true }
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

/// The union of lists of classes.
///
/// The first of `unicode` and `ascii-printable` absorbs all later classes, including the other one,
/// as in the reference parser.
struct AlphabetUnion {
  private(set) var alphabet = Alphabet.printable(PrintableCharacters())
  private var isSettled = false

  mutating func add(_ characterClass: CharacterClass) {
    guard let characters = characterClass.characters else { return add(Alphabet.unicode) }
    if characterClass == .asciiPrintable { return add(.printable(.all)) }
    if !isSettled { alphabet = alphabet.union(.printable(characters)) }
  }

  /// Adds the characters of a list; all of ASCII is represented by `ascii-printable`.
  mutating func add(_ list: Alphabet) {
    if isSettled { return }
    isSettled = list == .unicode || list == .printable(.all)
    alphabet = isSettled ? list : alphabet.union(list)
  }
}

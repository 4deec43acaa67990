/// The set of characters in a union of character classes.
package enum Alphabet: Hashable, Sendable {
  case printable(PrintableCharacters)
  /// All Unicode characters.
  case unicode

  /// Creates the union of classes, as ``AlphabetUnion`` computes it.
  init(_ classes: [CharacterClass]) {
    var union = AlphabetUnion()
    for characterClass in classes { union.add(characterClass) }
    self = union.alphabet
  }

  /// Creates the union of all classes, including those that ``AlphabetUnion`` ignores.
  package init(unionOf classes: [CharacterClass]) {
    self = classes.map { Alphabet([$0]) }.reduce(.printable(PrintableCharacters())) { $0.union($1) }
  }

  /// The alphabets of one named class, as most requirements have.
  private static let named = [CharacterClass.upper, .lower, .digits, .special, .asciiPrintable]
    .map { (alphabet: Alphabet([$0]), classes: [$0]) }

  /// The named classes that the alphabet contains, and a custom class of the other characters.
  var classes: [CharacterClass] {
    guard case .printable(var rest) = self else { return [.unicode] }
    if let match = Self.named.first(where: { $0.alphabet == self }) { return match.classes }
    var classes: [CharacterClass] = []
    for named in [CharacterClass.upper, .lower, .digits, .special] {
      guard let characters = named.characters, rest.isSuperset(of: characters) else { continue }
      classes.append(named)
      rest = rest.subtracting(characters)
    }
    return rest.isEmpty ? classes : classes + [.custom(rest)]
  }

  /// Returns whether the alphabet has at least a number of characters.
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

  package func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .unicode: true
    case .printable(let characters): characters.contains(scalar)
    }
  }
}

/// The union of character classes, computed as in the reference parser.
///
/// After `unicode` or `ascii-printable`, all further classes are ignored, even if they contain more
/// characters.
struct AlphabetUnion {
  private(set) var alphabet = Alphabet.printable(PrintableCharacters())
  private var isFinal = false

  mutating func add(_ characterClass: CharacterClass) {
    guard let characters = characterClass.characters else { return add(Alphabet.unicode) }
    if characterClass == .asciiPrintable { return add(.printable(.all)) }
    if !isFinal { alphabet = alphabet.union(.printable(characters)) }
  }

  /// Adds an alphabet; all printable ASCII characters count as `ascii-printable`.
  mutating func add(_ other: Alphabet) {
    if isFinal { return }
    isFinal = other == .unicode || other == .printable(.all)
    alphabet = isFinal ? other : alphabet.union(other)
  }
}

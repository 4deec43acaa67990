/// The set of characters in a union of character classes.
package struct Alphabet: Hashable, Sendable {
  /// The characters in printable ASCII.
  let listed: PrintableCharacters
  /// Whether the alphabet contains all Unicode characters.
  let isUnicode: Bool

  package static let unicode = Alphabet(listed: .all, isUnicode: true)

  static func printable(_ characters: PrintableCharacters) -> Alphabet {
    Alphabet(listed: characters, isUnicode: false)
  }

  /// The named classes that the alphabet contains, and a custom class of the other characters.
  var classes: [CharacterClass] {
    if isUnicode { return [.unicode] }
    if listed == .all { return [.asciiPrintable] }
    var rest = listed
    var classes: [CharacterClass] = []
    for named in [CharacterClass.upper, .lower, .digits, .special] {
      guard let characters = named.characters, rest.isSuperset(of: characters) else { continue }
      classes.append(named)
      rest = rest.subtracting(characters)
    }
    return rest.isEmpty ? classes : classes + [.custom(rest)]
  }

  var isEmpty: Bool { listed.isEmpty }

  func union(_ other: Alphabet) -> Alphabet {
    Alphabet(listed: listed.union(other.listed), isUnicode: isUnicode || other.isUnicode)
  }

  func intersection(_ other: Alphabet) -> Alphabet {
    Alphabet(listed: listed.intersection(other.listed), isUnicode: isUnicode && other.isUnicode)
  }

  func isSuperset(of other: Alphabet) -> Bool {
    listed.isSuperset(of: other.listed) && (isUnicode || !other.isUnicode)
  }

  package func contains(_ scalar: Unicode.Scalar) -> Bool { isUnicode || listed.contains(scalar) }
}

extension Alphabet {
  /// Creates the union of classes, as ``AlphabetUnion`` computes it.
  init(_ classes: [CharacterClass]) {
    var union = AlphabetUnion()
    for characterClass in classes { union.add(characterClass) }
    self = union.alphabet
  }

  /// Creates the union of all classes, including those that ``AlphabetUnion`` ignores.
  package init(unionOf classes: [CharacterClass]) {
    self = classes.map { Alphabet([$0]) }.reduce(.printable("")) { $0.union($1) }
  }
}

/// The union of character classes, computed as in the reference parser.
///
/// After `unicode` or `ascii-printable`, all further classes are ignored, even if they contain more
/// characters.
struct AlphabetUnion {
  private(set) var alphabet = Alphabet.printable("")
  private var isFinal = false

  mutating func add(_ characterClass: CharacterClass) {
    guard let characters = characterClass.characters else { return add(Alphabet.unicode) }
    if characterClass == .asciiPrintable { return add(.printable(.all)) }
    if !isFinal { alphabet = alphabet.union(.printable(characters)) }
  }

  /// Adds an alphabet; all printable ASCII characters count as `ascii-printable`.
  mutating func add(_ other: Alphabet) {
    if isFinal { return }
    isFinal = other.listed == .all
    alphabet = isFinal ? other : alphabet.union(other)
  }
}

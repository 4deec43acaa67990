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

  /// Adds an alphabet.
  ///
  /// An alphabet of all printable ASCII characters counts as `ascii-printable`.
  mutating func add(_ other: Alphabet) {
    if isFinal { return }
    isFinal = other == .unicode || other == .printable(.all)
    alphabet = isFinal ? other : alphabet.union(other)
  }
}

/// The set of characters in a union of character classes, or of those in a password.
package struct Alphabet: Hashable, Sendable {
  /// The characters in printable ASCII.
  var listed = PrintableCharacters()
  /// Whether the set contains other characters: all that exist, or any of a password.
  var isUnicode = false

  /// The named classes that the alphabet contains, and a custom class of the other characters.
  var classes: [CharacterClass] {
    if isUnicode { return [.unicode] }
    if listed == .all { return [.asciiPrintable] }
    var rest = listed
    var union = 0
    for (index, named) in Self.named.enumerated() {
      guard let characters = named.characters, rest.isSuperset(of: characters) else { continue }
      union |= 1 << index
      rest = rest.subtracting(characters)
    }
    var classes = Self.unions[union]
    if !rest.isEmpty { classes.append(.custom(rest)) }
    return classes
  }

  private static var named: [CharacterClass] { [.upper, .lower, .digits, .special] }
  /// The lists of named classes, which are shared because most rules have one; bit n of an index
  /// stands for class n.
  private static let unions = (0..<(1 << named.count)).map { union in
    named.indices.filter { union >> $0 & 1 == 1 }.map { named[$0] }
  }

  var isEmpty: Bool { listed.isEmpty }

  func intersection(_ other: Alphabet) -> Alphabet {
    Alphabet(listed: listed.intersection(other.listed), isUnicode: isUnicode && other.isUnicode)
  }

  func intersects(_ other: Alphabet) -> Bool {
    !listed.intersection(other.listed).isEmpty || isUnicode && other.isUnicode
  }

  func isSuperset(of other: Alphabet) -> Bool {
    listed.isSuperset(of: other.listed) && (isUnicode || !other.isUnicode)
  }

  package func contains(_ scalar: Unicode.Scalar) -> Bool { isUnicode || listed.contains(scalar) }
}

extension Alphabet {
  init(_ characterClass: CharacterClass) {
    self.init(listed: characterClass.characters ?? .all, isUnicode: characterClass == .unicode)
  }

  /// Creates the set of the characters of a password.
  ///
  /// Only `intersects`, and `isSuperset(of:)` with this set as its argument, are meaningful.
  init(of password: String) {
    let bytes = password.utf8.span
    for index in bytes.indices where !listed.insert(bytes[index]) { isUnicode = true }
  }

  package init(unionOf classes: [CharacterClass]) {
    self.init(
      listed: classes.reduce(PrintableCharacters()) { $0.union($1.characters ?? .all) },
      isUnicode: classes.contains(.unicode))
  }
}

/// The union of a list of classes that the reference parser computes: the first of `unicode` and
/// `ascii-printable` replaces the whole list.
struct ClassUnion {
  private(set) var alphabet = Alphabet()
  private(set) var isWhole = false

  /// Appends the canonical classes of an alphabet.
  mutating func formUnion(_ other: Alphabet) { formUnion(other, isWhole: other.listed == .all) }

  mutating func insert(_ characterClass: CharacterClass) {
    let isWhole = characterClass == .unicode || characterClass == .asciiPrintable
    formUnion(Alphabet(characterClass), isWhole: isWhole)
  }

  /// Appends the classes of another list.
  mutating func formUnion(_ other: ClassUnion) {
    formUnion(other.alphabet, isWhole: other.isWhole)
  }

  private mutating func formUnion(_ other: Alphabet, isWhole: Bool) {
    if self.isWhole { return }
    self.isWhole = isWhole
    alphabet = Alphabet(
      listed: alphabet.listed.union(other.listed), isUnicode: other.isUnicode)
  }
}

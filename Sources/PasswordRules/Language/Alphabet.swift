/// The set of characters in a union of character classes.
package struct Alphabet: Hashable, Sendable {
  /// The characters in printable ASCII.
  let listed: PrintableCharacters
  /// Whether the alphabet contains all Unicode characters.
  var isUnicode = false

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

  func intersection(_ other: Alphabet) -> Alphabet {
    Alphabet(listed: listed.intersection(other.listed), isUnicode: isUnicode && other.isUnicode)
  }

  func isSuperset(of other: Alphabet) -> Bool {
    listed.isSuperset(of: other.listed) && (isUnicode || !other.isUnicode)
  }

  package func contains(_ scalar: Unicode.Scalar) -> Bool { isUnicode || listed.contains(scalar) }
}

extension Alphabet {
  /// Creates the union of classes that the reference parser computes: the first of `unicode` and
  /// `ascii-printable` replaces the whole list.
  init(_ classes: [CharacterClass]) {
    let whole = classes.first { $0 == .unicode || $0 == .asciiPrintable }
    self.init(unionOf: whole.map { [$0] } ?? classes)
  }

  package init(unionOf classes: [CharacterClass]) {
    self.init(
      listed: classes.reduce(PrintableCharacters()) { $0.union($1.characters ?? .all) },
      isUnicode: classes.contains(.unicode))
  }
}

/// An automaton that accepts the passwords that satisfy a rule set, without its length limits.
struct PasswordAutomaton: Sendable {
  /// The cells of the alphabet, whose keys are the kinds of the characters in ``requirements``.
  let cells: [CharacterCell<Int>]
  let requirements: RequirementAutomaton
  let limits: RunLimits
  /// Whether outer blanks are rejected, so that the first cell contains the blank alone.
  let rejectsOuterBlanks: Bool

  init(_ requirements: RequirementAutomaton, _ limits: RunLimits, rejectsOuterBlanks: Bool) {
    self.requirements = requirements
    self.limits = limits
    self.rejectsOuterBlanks = rejectsOuterBlanks && requirements.characters.first == " "
    cells = CharacterCell.cells(
      of: requirements.characters, limits: limits, separatesBlank: rejectsOuterBlanks
    ) { requirements.kind(of: $0) }
  }

  func limited(by limits: RunLimits) -> PasswordAutomaton {
    PasswordAutomaton(requirements, limits, rejectsOuterBlanks: rejectsOuterBlanks)
  }

  /// Returns the automaton without the limits on runs that passwords of a length cannot exceed.
  func limited(toLength length: Int) -> PasswordAutomaton {
    limited(
      by: RunLimits(
        repeating: limits.repeating < length ? limits.repeating : .max,
        sequential: limits.sequential < length ? limits.sequential : .max))
  }

  func state(after state: Int, _ cell: Int) -> Int {
    requirements.transitions[state][cells[cell].key]
  }
}

/// A class of interchangeable characters of an alphabet, which share a key.
///
/// If sequences are limited, each letter and digit has its own cell.
struct CharacterCell<Key: Hashable & Sendable>: Sendable {
  let key: Key
  private(set) var characters: [Unicode.Scalar]
  /// The cells with a character that continues a limited run from this cell, in order.
  private(set) var neighbors: [(cell: Int, step: CharacterRun.Step)] = []

  /// Returns the cells in the order of their first characters; the blank can have its own.
  static func cells(
    of characters: [Unicode.Scalar], limits: RunLimits, separatesBlank: Bool = false,
    key: (Unicode.Scalar) -> Key
  ) -> [CharacterCell] {
    var cells: [CharacterCell] = []
    var shared: [Key: Int] = [:]
    var previous: (character: Unicode.Scalar, cell: Int)?
    for character in characters {
      let key = key(character)
      if limits.sequential < .max, character.isASCIIAlphanumeric {
        let index = cells.count
        cells.append(CharacterCell(key: key, characters: [character]))
        if let previous, previous.character.nextInSequence == character {
          cells[previous.cell].neighbors.append((index, .ascending))
          cells[index].neighbors.append((previous.cell, .descending))
        }
        if limits.repeating < .max { cells[index].neighbors.append((index, .equal)) }
        previous = (character, index)
      } else if let index = shared[key] {
        cells[index].characters.append(character)
      } else {
        if !separatesBlank || character != " " { shared[key] = cells.count }
        let equal = limits.repeating < .max ? [(cells.count, CharacterRun.Step.equal)] : []
        cells.append(CharacterCell(key: key, characters: [character], neighbors: equal))
      }
    }
    return cells
  }
}

extension Array {
  /// Returns the possible steps to the next character: one to each cell, or two if the character
  /// can either continue the run or not.
  func steps<Key>(after last: Int?) -> [(cell: Int, step: CharacterRun.Step)]
  where Element == CharacterCell<Key> {
    let neighbors = last.map { self[$0].neighbors } ?? []
    return neighbors
      + indices.filter { index in
        self[index].characters.count > 1 || !neighbors.contains { $0.cell == index }
      }.map { ($0, .other) }
  }
}

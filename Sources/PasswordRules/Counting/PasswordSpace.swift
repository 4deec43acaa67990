/// The passwords over a rule set's alphabet, as an automaton in which those that satisfy the rules can
/// be counted.
///
/// Characters are joined to cells where nothing tells them apart: they meet the same requirements, and
/// none of them is a neighbour in a sequence that counts.
struct PasswordSpace: Sendable {
  struct Cell: Sendable {
    let characters: [Unicode.Scalar]
    /// What of the requirements they meet, as a number of ``Progress``'s kinds.
    let kind: Int
    /// The cell of the next character of the sequence, where sequences count.
    var next: Int?
    var previous: Int?
  }

  private(set) var cells: [Cell] = []
  let progress: Progress
  let maxRepeating: Int?
  let maxSequential: Int?

  private static let stateLimit = 100_000

  /// Nil when the requirements overlap in too many ways to be counted.
  init?(_ rules: PasswordRuleSet, reading: RequirementReading) {
    maxRepeating = rules.repeatingLimit
    maxSequential = rules.sequentialLimit
    let characters = rules.listedAlphabet
    var kinds = KindTable(rules.requirements)
    var cellOfKind: [Int: [Unicode.Scalar]] = [:]
    var cellOfCharacter: [Unicode.Scalar: Int] = [:]
    for character in characters {
      let kind = kinds.kind(of: character)
      if maxSequential != nil, character.isInSequence {
        cellOfCharacter[character] = cells.count
        cells.append(Cell(characters: [character], kind: kind))
      } else {
        cellOfKind[kind, default: []].append(character)
      }
    }
    for (kind, characters) in cellOfKind.sorted(by: { $0.key < $1.key }) {
      cells.append(Cell(characters: characters, kind: kind))
    }
    for (character, cell) in cellOfCharacter {
      cells[cell].next = character.nextInSequence.flatMap { cellOfCharacter[$0] }
      if let next = cells[cell].next { cells[next].previous = cell }
    }
    guard
      let progress = Progress(
        rules.requirements, reading: reading, kinds: kinds.examples, limit: Self.stateLimit)
    else { return nil }
    self.progress = progress
  }
}

extension PasswordRuleSet {
  /// The limit for equal characters in a row.
  var repeatingLimit: Int? { maxRepeating.lowered(to: maxConsecutive) }
  /// The limit for neighbours in a row.
  var sequentialLimit: Int? { maxSequential.lowered(to: maxConsecutive) }

  /// The characters that passwords are made of; of all of Unicode, the printable ones of ASCII.
  var listedAlphabet: PrintableCharacters {
    switch alphabet {
    case .printable(let characters): characters
    case .unicode: .all
    }
  }
}

extension Unicode.Scalar {
  /// Whether it is one of A–Z, a–z or 0–9.
  var isInSequence: Bool {
    switch self {
    case "A"..."Z", "a"..."z", "0"..."9": true
    default: false
    }
  }

  /// The next one of its sequence, if it is not the last.
  var nextInSequence: Unicode.Scalar? {
    guard isInSequence, self != "Z", self != "z", self != "9" else { return nil }
    return Unicode.Scalar(value + 1)
  }
}

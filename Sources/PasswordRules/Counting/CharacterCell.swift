/// Characters of an alphabet that are interchangeable: they share a key and, if sequences are
/// limited, do not belong to one.
struct CharacterCell<Key: Hashable & Sendable>: Sendable {
  let key: Key
  private(set) var characters: [Unicode.Scalar]
  /// The cells with a character that continues a limited run from this cell, in order.
  private(set) var neighbors: [(cell: Int, step: Run.Step)] = []

  /// Returns the cells of an alphabet in the order of their first characters.
  ///
  /// If sequences are limited, each letter and digit has a cell of its own.
  static func cells(
    of characters: [Unicode.Scalar], limits: RunLimits, key: (Unicode.Scalar) -> Key
  ) -> [CharacterCell] {
    var cells: [CharacterCell] = []
    var shared: [Key: Int] = [:]
    var previous: (character: Unicode.Scalar, cell: Int)?
    for character in characters {
      let key = key(character)
      if limits.sequential < .max, character.isInSequence {
        let number = cells.count
        cells.append(CharacterCell(key: key, characters: [character]))
        if let previous, previous.character.nextInSequence == character {
          cells[previous.cell].neighbors.append((number, .ascending))
          cells[number].neighbors.append((previous.cell, .descending))
        }
        if limits.repeating < .max { cells[number].neighbors.append((number, .equal)) }
        previous = (character, number)
      } else if let number = shared[key] {
        cells[number].characters.append(character)
      } else {
        shared[key] = cells.count
        let equal = limits.repeating < .max ? [(cells.count, Run.Step.equal)] : []
        cells.append(CharacterCell(key: key, characters: [character], neighbors: equal))
      }
    }
    return cells
  }
}

extension Array {
  /// Returns the steps to a next character.
  ///
  /// There is one step for each cell, and a second one for a cell in which the next character can
  /// either continue the run or not.
  func steps<Key>(after last: Int?) -> [(cell: Int, step: Run.Step)]
  where Element == CharacterCell<Key> {
    let neighbors = last.map { self[$0].neighbors } ?? []
    return neighbors
      + indices.filter { number in
        self[number].characters.count > 1 || !neighbors.contains { $0.cell == number }
      }.map { ($0, .other) }
  }
}

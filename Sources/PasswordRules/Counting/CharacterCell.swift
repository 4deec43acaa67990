/// Interchangeable characters of an alphabet: they share a key, and none is a neighbour in a
/// limited sequence.
struct CharacterCell<Key: Hashable & Sendable>: Sendable {
  let key: Key
  private(set) var characters: [Unicode.Scalar]
  /// The cells, in order, with a character that continues a limited run.
  private(set) var neighbours: [(cell: Int, step: Run.Step)] = []

  /// Returns the cells of an alphabet in ascending order.
  ///
  /// Sequences are separated only if they have a limit.
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
          cells[previous.cell].neighbours.append((number, .up))
          cells[number].neighbours.append((previous.cell, .down))
        }
        if limits.repeating < .max { cells[number].neighbours.append((number, .equal)) }
        previous = (character, number)
      } else if let number = shared[key] {
        cells[number].characters.append(character)
      } else {
        shared[key] = cells.count
        let equal = limits.repeating < .max ? [(cells.count, Run.Step.equal)] : []
        cells.append(CharacterCell(key: key, characters: [character], neighbours: equal))
      }
    }
    return cells
  }
}

extension Array {
  /// Returns the steps to a next character: one for each cell, and two for a cell whose character
  /// can be the last one or another.
  func steps<Key>(after last: Int?) -> [(cell: Int, step: Run.Step)]
  where Element == CharacterCell<Key> {
    let neighbours = last.map { self[$0].neighbours } ?? []
    return neighbours
      + indices.filter { number in
        self[number].characters.count > 1 || !neighbours.contains { $0.cell == number }
      }.map { ($0, .other) }
  }
}

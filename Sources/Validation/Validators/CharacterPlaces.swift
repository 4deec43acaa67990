/// Joins the places of characters, in code points, that stand next to each other.
struct CharacterPlaces {
  private(set) var found: [Range<Int>] = []
  private var position = 0

  mutating func read(isOffending: Bool) {
    defer { position += 1 }
    if !isOffending { return }
    if let last = found.last, last.upperBound == position {
      found[found.count - 1] = last.lowerBound..<(position + 1)
    } else {
      found.append(position..<(position + 1))
    }
  }
}

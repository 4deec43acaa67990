/// The combinations of a given number of elements, in lexicographic order.
struct CombinationSequence: Sequence, IteratorProtocol {
  private let elements: [Int]
  /// The indices of the elements of the next combination; nil at the end.
  private var indices: [Int]?

  init(of elements: [Int], taking count: Int) {
    self.elements = elements
    indices = count <= elements.count ? Array(0..<count) : nil
  }

  mutating func next() -> [Int]? {
    guard var chosen = indices else { return nil }
    defer {
      let last = chosen.indices.last { chosen[$0] < elements.count - chosen.count + $0 }
      if let last {
        chosen[last] += 1
        for index in chosen.indices where index > last { chosen[index] = chosen[index - 1] + 1 }
        indices = chosen
      } else {
        indices = nil
      }
    }
    return chosen.map { elements[$0] }
  }
}

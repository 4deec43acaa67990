/// Deals out the characters of a password to the requirements, each requirement one of its own.
///
/// It is bipartite matching by augmenting paths: a character that only meets what is met already may
/// take it over, if the character that had it meets something else.
struct RequirementMatching {
  private let requirements: [Alphabet]
  /// For each requirement, the character that was dealt to it.
  private var holders: [Unicode.Scalar?]
  private(set) var unmet: Int

  init(_ requirements: [Alphabet]) {
    self.requirements = requirements
    holders = Array(repeating: nil, count: requirements.count)
    unmet = requirements.count
  }

  func isMet(_ index: Int) -> Bool { holders[index] != nil }

  mutating func deal(_ scalar: Unicode.Scalar) {
    if unmet == 0 { return }
    // Most characters meet something that nothing else has met yet.
    for index in requirements.indices where holders[index] == nil {
      guard requirements[index].contains(scalar) else { continue }
      holders[index] = scalar
      unmet -= 1
      return
    }
    var visited = Array(repeating: false, count: requirements.count)
    if place(scalar, &visited) { unmet -= 1 }
  }

  private mutating func place(_ scalar: Unicode.Scalar, _ visited: inout [Bool]) -> Bool {
    for index in requirements.indices where !visited[index] {
      guard requirements[index].contains(scalar) else { continue }
      visited[index] = true
      guard let holder = holders[index] else {
        holders[index] = scalar
        return true
      }
      if place(holder, &visited) {
        holders[index] = scalar
        return true
      }
    }
    return false
  }
}

/// Numbers for what characters meet of some requirements, and an example of each.
struct KindTable {
  let requirements: [Alphabet]
  private(set) var examples: [Unicode.Scalar] = []
  private var numbers: [[Bool]: Int] = [:]

  init(_ requirements: [Alphabet]) {
    self.requirements = requirements
  }

  mutating func kind(of character: Unicode.Scalar) -> Int {
    let meets = requirements.map { $0.contains(character) }
    if let number = numbers[meets] { return number }
    numbers[meets] = examples.count
    examples.append(character)
    return examples.count - 1
  }
}

/// Deals out the characters of a password to the requirements, each requirement one of its own.
///
/// It is bipartite matching by augmenting paths: a character that only meets what is met already may
/// take it over, if the character that had it meets something else.
struct RequirementMatching {
  private struct Requirement {
    let alphabet: Alphabet
    /// The character that was dealt to it.
    var holder: Unicode.Scalar?
    /// Whether it leads to no unmet one.
    ///
    /// What meets only such requirements is of no use, then and
    /// later, because whatever holds one of them meets only such ones as well.
    var isClosed = false
  }

  /// A requirement that was reached, and the place of the one whose holder led there.
  private struct Step {
    let index: Int
    let origin: Int?
  }

  private var requirements: [Requirement]
  private(set) var unmet: Int

  init(_ alphabets: [Alphabet]) {
    requirements = alphabets.map { Requirement(alphabet: $0) }
    unmet = alphabets.count
  }

  func isMet(_ index: Int) -> Bool { requirements[index].holder != nil }

  mutating func deal(_ scalar: Unicode.Scalar) {
    if unmet == 0 { return }
    var isUseful = false
    for index in requirements.indices
    where !requirements[index].isClosed && requirements[index].alphabet.contains(scalar) {
      // Most characters meet something that nothing else has met yet.
      if requirements[index].holder == nil {
        requirements[index].holder = scalar
        unmet -= 1
        return
      }
      isUseful = true
    }
    if isUseful { rearrange(for: scalar) }
  }

  /// Looks for an unmet requirement, breadth first; recursion would need a stack as deep as there are
  /// requirements.
  private mutating func rearrange(for scalar: Unicode.Scalar) {
    var reached: [Step] = []
    var (candidate, origin): (Unicode.Scalar, Int?) = (scalar, nil)
    var next = 0
    while true {
      for index in requirements.indices
      where !requirements[index].isClosed && requirements[index].alphabet.contains(candidate) {
        requirements[index].isClosed = true
        reached.append(Step(index: index, origin: origin))
        if requirements[index].holder == nil {
          passOn(scalar, along: reached)
          for step in reached { requirements[step.index].isClosed = false }
          return
        }
      }
      guard next < reached.count, let holder = requirements[reached[next].index].holder else {
        return
      }
      (candidate, origin) = (holder, next)
      next += 1
    }
  }

  /// Gives each requirement on the way to the last one the character of the one before.
  private mutating func passOn(_ scalar: Unicode.Scalar, along reached: [Step]) {
    var place = reached.count - 1
    while let origin = reached[place].origin {
      requirements[reached[place].index].holder = requirements[reached[origin].index].holder
      place = origin
    }
    requirements[reached[place].index].holder = scalar
    unmet -= 1
  }
}

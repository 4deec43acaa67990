/// An assignment of password characters to requirements, at most one to each.
///
/// This is bipartite matching by augmenting paths: a character may take over a met requirement if
/// the previous character can meet another one.
struct RequirementMatching {
  private struct Requirement {
    let alphabet: Alphabet
    /// The assigned character.
    var holder: Unicode.Scalar?
    /// Whether no augmenting path leads from it to an unmet requirement.
    ///
    /// A character that meets only closed requirements can be skipped, now and later: each holder
    /// of a closed requirement meets only closed ones as well.
    var isClosed = false
  }

  /// A visited requirement, and the position of the one whose holder led to it.
  private typealias Step = (index: Int, origin: Int?)

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
      // Fast path: most characters meet a requirement that is still free.
      if requirements[index].holder == nil {
        requirements[index].holder = scalar
        unmet -= 1
        return
      }
      isUseful = true
    }
    if isUseful { rearrange(for: scalar) }
  }

  /// Searches breadth-first for an unmet requirement; the depth of a recursion would grow with the
  /// number of requirements.
  private mutating func rearrange(for scalar: Unicode.Scalar) {
    var reached: [Step] = []
    var (candidate, origin): (Unicode.Scalar, Int?) = (scalar, nil)
    var next = 0
    while true {
      for index in requirements.indices
      where !requirements[index].isClosed && requirements[index].alphabet.contains(candidate) {
        requirements[index].isClosed = true
        reached.append((index, origin))
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

  /// Moves each character on the path to the next requirement.
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

/// The way in which several requirements combine.
public enum RequirementMatchingMode: Hashable, Sendable {
  /// Each requirement takes its own character, so `required: digit; required: digit` needs two
  /// digits.
  case distinct
  /// One character may meet several requirements, so duplicates add nothing.
  case any
}

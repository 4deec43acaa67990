/// The rule for whether one character can meet several requirements of a rule set.
public enum RequirementMatchingMode: Hashable, Sendable {
  /// Each requirement needs a separate character, so a repeated `required: digit` needs two digits.
  case distinct
  /// One character can meet several requirements, so a repeated requirement has no effect.
  case any
}

/// An assignment of password characters to requirements, in which each requirement has at most one
/// character, and each character at most one requirement.
///
/// The algorithm is bipartite matching with augmenting paths.
struct RequirementMatching {
  private struct Requirement {
    let alphabet: Alphabet
    var assigned: Unicode.Scalar?
    /// Whether no augmenting path leads from this requirement to an unmet one.
    ///
    /// Its character meets only closed requirements, and such characters can always be skipped.
    var isClosed = false
  }

  /// A visited requirement, and the index of the step whose character led to it.
  private typealias Step = (requirement: Int, origin: Int?)

  private var requirements: [Requirement]
  private(set) var unmet: Int

  init(_ alphabets: [Alphabet]) {
    requirements = alphabets.map { Requirement(alphabet: $0) }
    unmet = alphabets.count
  }

  func isMet(_ index: Int) -> Bool { requirements[index].assigned != nil }

  /// Assigns the next character of the password, if it can meet one more requirement.
  mutating func assign(_ scalar: Unicode.Scalar) {
    if unmet == 0 { return }
    var canTakeOver = false
    for index in requirements.indices
    where !requirements[index].isClosed && requirements[index].alphabet.contains(scalar) {
      // Fast path: most characters either meet an unmet requirement or are not needed.
      if requirements[index].assigned == nil {
        requirements[index].assigned = scalar
        unmet -= 1
        return
      } else {
        canTakeOver = true
      }
    }
    if canTakeOver { augment(with: scalar) }
  }

  /// Searches breadth-first for an augmenting path that begins with a character.
  ///
  /// The depth of a recursive search would grow with the number of requirements.
  private mutating func augment(with scalar: Unicode.Scalar) {
    var steps: [Step] = []
    var (candidate, origin): (Unicode.Scalar, Int?) = (scalar, nil)
    var next = 0
    while true {
      for index in requirements.indices
      where !requirements[index].isClosed && requirements[index].alphabet.contains(candidate) {
        requirements[index].isClosed = true
        steps.append((index, origin))
        if requirements[index].assigned == nil {
          reassign(scalar, along: steps)
          for step in steps { requirements[step.requirement].isClosed = false }
          return
        }
      }
      guard next < steps.count, let assigned = requirements[steps[next].requirement].assigned else {
        return
      }
      (candidate, origin) = (assigned, next)
      next += 1
    }
  }

  /// Moves each character on the path that ends with the last step to the next requirement.
  private mutating func reassign(_ scalar: Unicode.Scalar, along steps: [Step]) {
    var step = steps[steps.count - 1]
    while let origin = step.origin {
      requirements[step.requirement].assigned = requirements[steps[origin].requirement].assigned
      step = steps[origin]
    }
    requirements[step.requirement].assigned = scalar
    unmet -= 1
  }
}

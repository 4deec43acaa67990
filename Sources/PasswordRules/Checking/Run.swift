/// A run of equal or sequential characters that ends with the last character read.
struct Run: Hashable, Sendable {
  /// The relation of a character to its predecessor.
  enum Step: Hashable, Sendable {
    case other
    case equal
    /// The character that follows its predecessor in A–Z, a–z or 0–9.
    case ascending
    /// The character that precedes its predecessor in A–Z, a–z or 0–9.
    case descending

    init(from predecessor: Unicode.Scalar, to scalar: Unicode.Scalar) {
      switch Int(scalar.value) - Int(predecessor.value) {
      case 0: self = .equal
      case 1 where predecessor.nextInSequence != nil: self = .ascending
      case -1 where scalar.nextInSequence != nil: self = .descending
      default: self = .other
      }
    }
  }

  /// The step between the characters of the run.
  var step = Step.other
  /// The number of characters: one if the step is `other`, otherwise at least two.
  var length = 1

  /// Returns the run after one more character.
  func extended(by step: Step) -> Run {
    Run(step: step, length: step == .other ? 1 : step == self.step ? length + 1 : 2)
  }
}

extension Unicode.Scalar {
  /// Whether the character is one of A–Z, a–z or 0–9.
  var isInSequence: Bool {
    switch self {
    case "A"..."Z", "a"..."z", "0"..."9": true
    default: false
    }
  }

  /// The next character of A–Z, a–z or 0–9, or nil if there is none.
  var nextInSequence: Unicode.Scalar? {
    guard isInSequence, self != "Z", self != "z", self != "9" else { return nil }
    return Unicode.Scalar(value + 1)
  }
}

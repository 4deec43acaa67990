/// A run of equal or sequential characters that ends with the last character read.
struct CharacterRun: Hashable, Sendable {
  /// The relation of a character to its predecessor.
  enum Step: Hashable, Sendable {
    case other
    case equal
    /// The next character in A–Z, a–z or 0–9.
    case ascending
    /// The previous character in A–Z, a–z or 0–9.
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

  var step = Step.other
  /// The number of characters: one if the step is `other`, otherwise at least two.
  var length = 1

  func extended(by step: Step) -> CharacterRun {
    CharacterRun(step: step, length: step == .other ? 1 : step == self.step ? length + 1 : 2)
  }
}

extension Unicode.Scalar {
  package var isASCIIAlphanumeric: Bool {
    switch self {
    case "A"..."Z", "a"..."z", "0"..."9": true
    default: false
    }
  }

  /// The next character of A–Z, a–z or 0–9, or nil if there is none.
  var nextInSequence: Unicode.Scalar? {
    guard isASCIIAlphanumeric, self != "Z", self != "z", self != "9" else { return nil }
    return Unicode.Scalar(value + 1)
  }
}

/// A detector of the runs in a password that exceed limits.
struct RunDetector {
  private let limits: RunLimits
  private var last: Unicode.Scalar?
  private var run = CharacterRun()
  private var count = 0
  /// The runs that exceed the limits, each in full, in the order of their positions.
  private(set) var excesses: [(step: CharacterRun.Step, range: Range<Int>)] = []

  init(_ limits: RunLimits) { self.limits = limits }

  mutating func read(_ scalar: Unicode.Scalar) {
    let step = last.map { CharacterRun.Step(from: $0, to: scalar) } ?? .other
    (last, run, count) = (scalar, run.extended(by: step), count + 1)
    if step == .other || limits.allows(run) { return }
    let range = (count - run.length)..<count
    if excesses.last?.range.lowerBound == range.lowerBound { excesses.removeLast() }
    excesses.append((run.step, range))
  }
}

/// The maximum lengths of runs in characters; `Int.max` means no limit.
struct RunLimits: Sendable {
  var repeating = Int.max
  var sequential = Int.max

  var isEmpty: Bool { min(repeating, sequential) == .max }

  subscript(step: CharacterRun.Step) -> Int {
    switch step {
    case .other: .max
    case .equal: repeating
    case .ascending, .descending: sequential
    }
  }

  func allows(_ run: CharacterRun) -> Bool { run.length <= self[run.step] }

  /// Returns the run after one more character, or nil if it is too long.
  ///
  /// Unlimited runs are not tracked, so the result is then a run of one character.
  func run(_ run: CharacterRun, extendedBy step: CharacterRun.Step) -> CharacterRun? {
    if self[step] == .max { return CharacterRun() }
    let run = run.extended(by: step)
    return allows(run) ? run : nil
  }

  func areSatisfied(by password: [Unicode.Scalar]) -> Bool {
    if isEmpty { return true }
    var runs = RunDetector(self)
    for scalar in password { runs.read(scalar) }
    return runs.excesses.isEmpty
  }
}

extension PasswordRuleSet {
  /// The limits on runs; `maxConsecutive` applies to both kinds of runs.
  var runLimits: RunLimits {
    RunLimits(
      repeating: min(maxRepeating ?? .max, maxConsecutive ?? .max),
      sequential: min(maxSequential ?? .max, maxConsecutive ?? .max))
  }
}

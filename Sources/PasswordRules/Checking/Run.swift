/// A run of equal or neighbouring characters, up to the last character read.
struct Run: Hashable, Sendable {
  /// The relation of a character to its predecessor.
  enum Step: Hashable, Sendable {
    case other
    case equal
    /// The next character of A–Z, a–z or 0–9.
    case up
    /// The previous character of A–Z, a–z or 0–9.
    case down

    init(from one: Unicode.Scalar, to other: Unicode.Scalar) {
      switch Int(other.value) - Int(one.value) {
      case 0: self = .equal
      case 1 where one.nextInSequence != nil: self = .up
      case -1 where other.nextInSequence != nil: self = .down
      default: self = .other
      }
    }
  }

  /// The step between the characters of the run.
  var step = Step.other
  /// The number of characters; two or more, except for a step of `other`.
  var length = 1

  /// Returns the run after one more character; it may start at the previous character.
  func extended(by step: Step) -> Run {
    Run(step: step, length: step == .other ? 1 : step == self.step ? length + 1 : 2)
  }
}

/// The maximum lengths of runs; the highest integer means no limit.
struct RunLimits: Sendable {
  var repeating = Int.max
  var sequential = Int.max

  var isEmpty: Bool { min(repeating, sequential) == .max }

  subscript(step: Run.Step) -> Int {
    switch step {
    case .other: .max
    case .equal: repeating
    case .up, .down: sequential
    }
  }

  func allow(_ run: Run) -> Bool { run.length <= self[run.step] }

  /// Returns the run after one more character, or nil if it is too long.
  ///
  /// Runs without a limit are not tracked.
  func run(_ run: Run, extendedBy step: Run.Step) -> Run? {
    if self[step] == .max { return Run() }
    let run = run.extended(by: step)
    return allow(run) ? run : nil
  }

  func areKept(by password: [Unicode.Scalar]) -> Bool {
    if isEmpty { return true }
    var runs = RunDetector(self)
    for (position, scalar) in password.enumerated() { runs.read(scalar, at: position) }
    return runs.excesses.isEmpty
  }
}

extension PasswordRuleSet {
  var runLimits: RunLimits {
    RunLimits(
      repeating: min(maxRepeating ?? .max, maxConsecutive ?? .max),
      sequential: min(maxSequential ?? .max, maxConsecutive ?? .max))
  }
}

/// A detector of runs that are too long.
struct RunDetector {
  private let limits: RunLimits
  private var last: Unicode.Scalar?
  private var run = Run()
  /// The complete runs, in order.
  private(set) var excesses: [(step: Run.Step, range: Range<Int>)] = []

  init(_ limits: RunLimits) {
    self.limits = limits
  }

  mutating func read(_ scalar: Unicode.Scalar, at position: Int) {
    let step = last.map { Run.Step(from: $0, to: scalar) } ?? .other
    (last, run) = (scalar, run.extended(by: step))
    if step == .other || limits.allow(run) { return }
    let range = (position + 1 - run.length)..<(position + 1)
    if excesses.last?.range.lowerBound == range.lowerBound { excesses.removeLast() }
    excesses.append((run.step, range))
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

  /// The next character of its sequence, or nil for the last.
  var nextInSequence: Unicode.Scalar? {
    guard isInSequence, self != "Z", self != "z", self != "9" else { return nil }
    return Unicode.Scalar(value + 1)
  }
}

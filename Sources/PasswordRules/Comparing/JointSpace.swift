/// The product of the automata of two rule sets, for finding a password that only one accepts.
struct JointSpace {
  /// The common properties of the characters of a cell.
  private struct Key: Hashable {
    /// The kind in each automaton.
    let kind: Int
    let otherKind: Int
    let isAllowedByOther: Bool
  }

  /// A state of the search, which determines the possible continuations.
  private struct Place: Hashable {
    var progress = 0
    /// Nil if the other rule set has already rejected the password.
    var otherProgress: Int? = 0
    /// The cell of the last character, if runs are limited.
    var cell: Int?
    var run = Run()
  }

  /// The previous state, and the step from it.
  private struct Origin {
    let place: Place?
    let cell: Int
    let step: Run.Step
  }

  private let rules: PasswordRuleSet
  private let other: PasswordRuleSet
  private let progress: RequirementAutomaton
  private let otherProgress: RequirementAutomaton
  private let cells: [CharacterCell<Key>]
  private let limits: RunLimits
  private let otherLimits: RunLimits
  /// The limits from which longer runs are equivalent.
  private let longest: RunLimits

  private static let stateLimit = 10_000
  private static let longestLength = 1024
  /// The number of states from which the search is given up.
  private static let workLimit = 1 << 18
  /// Samples that represent all characters beyond ASCII.
  private static let beyondASCII: [Unicode.Scalar] = ["é", "ß", "ø", "ü"]

  init(
    _ rules: PasswordRuleSet, and other: PasswordRuleSet, reading: RequirementMatchingMode
  ) throws(PasswordRulesError) {
    self.rules = rules
    self.other = other
    (limits, otherLimits) = (rules.runLimits, other.runLimits)
    func longest(_ limit: KeyPath<RunLimits, Int>) -> Int {
      [rules, other].map { $0.runLimits[keyPath: limit] }.filter { $0 < .max }.max() ?? .max
    }
    self.longest = RunLimits(
      repeating: longest(\.repeating), sequential: longest(\.sequential))
    let characters =
      Array(rules.listedAlphabet) + (rules.alphabet == .unicode ? Self.beyondASCII : [])
    func automaton(_ rules: PasswordRuleSet) throws(PasswordRulesError) -> RequirementAutomaton {
      let automaton = RequirementAutomaton(
        rules.requirements, reading: reading, characters: characters, limit: Self.stateLimit)
      guard let automaton else {
        throw .tooComplex("The required classes overlap in too many ways")
      }
      return automaton
    }
    let (progress, otherProgress) = (try automaton(rules), try automaton(other))
    cells = CharacterCell.cells(of: characters, limits: self.longest) { character in
      Key(
        kind: progress.kind(of: character), otherKind: otherProgress.kind(of: character),
        isAllowedByOther: other.alphabet.contains(character))
    }
    (self.progress, self.otherProgress) = (progress, otherProgress)
  }

  /// Returns a shortest password that satisfies these rules but not the others; nil if none exists.
  func witness() throws(PasswordRulesError) -> String? {
    let (least, most) = (rules.minLength ?? 0, rules.maxLength ?? .max)
    let (otherLeast, otherMost) = (other.minLength ?? 0, other.maxLength ?? .max)
    // From this length on, the length no longer distinguishes the two.
    let settled = max(least, otherLeast, otherMost == .max ? 0 : otherMost + 1)
    var layers: [[Place: Origin]] = [[Place(): Origin(place: nil, cell: 0, step: .other)]]
    var work = 0
    while let layer = layers.last, !layer.isEmpty, layers.count - 1 <= most {
      let length = layers.count - 1
      if length >= least {
        let isRefusedByLength = length < otherLeast || length > otherMost
        let found = layer.keys.first { place in
          progress.accepting[place.progress]
            && (isRefusedByLength
              || place.otherProgress.map { !otherProgress.accepting[$0] } ?? true)
        }
        if let found { return password(to: found, in: layers) }
      }
      let next = extended(layer)
      if length >= settled, next.keys == layer.keys { return nil }
      if length == Self.longestLength {
        throw .tooComplex("Passwords of more than \(length) characters are too long to be compared")
      }
      work += next.count
      if work > Self.workLimit { throw .tooComplex("The limits on runs are too high") }
      layers.append(next)
    }
    return nil
  }

  private func extended(_ layer: [Place: Origin]) -> [Place: Origin] {
    var next: [Place: Origin] = [:]
    for place in layer.keys {
      for (cell, step) in cells.steps(after: place.cell) {
        guard let reached = self.place(after: place, cell, step) else { continue }
        if next[reached] == nil { next[reached] = Origin(place: place, cell: cell, step: step) }
      }
    }
    return next
  }

  private func place(after place: Place, _ cell: Int, _ step: Run.Step) -> Place? {
    var run = place.run.extended(by: step)
    guard limits.allow(run) else { return nil }
    let key = cells[cell].key
    let other = key.isAllowedByOther && otherLimits.allow(run) ? place.otherProgress : nil
    run.length = min(run.length, longest[step])
    return Place(
      progress: progress.transitions[place.progress][key.kind],
      otherProgress: other.map { otherProgress.transitions[$0][key.otherKind] },
      cell: longest.isEmpty ? nil : cell, run: run)
  }

  private func password(to place: Place, in layers: [[Place: Origin]]) -> String {
    var origins: [Origin] = []
    var place: Place? = place
    for layer in layers.dropFirst().reversed() {
      guard let origin = place.flatMap({ layer[$0] }) else { break }
      origins.append(origin)
      place = origin.place
    }
    var password = String.UnicodeScalarView()
    for origin in origins.reversed() {
      let characters = cells[origin.cell].characters
      let character =
        origin.step == .equal
        ? password.last : characters.first { $0 != password.last } ?? characters.first
      if let character { password.append(character) }
    }
    return String(password)
  }
}

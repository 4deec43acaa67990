/// The passwords of one rule set, read by two at once, to find one that the other refuses.
struct JointSpace {
  private struct Cell {
    let characters: [Unicode.Scalar]
    /// What of the requirements they meet, for each rule set.
    let kind: Int
    let otherKind: Int
    let isAllowedByOther: Bool
    var next: Int?
    var previous: Int?
  }

  /// What decides about the characters to come.
  private struct Place: Hashable {
    var progress = 0
    /// Nil when the other rule set has refused already.
    var otherProgress: Int? = 0
    /// The last character's, where runs count.
    var cell: Int?
    var step = Step.other
    var runLength = 1
  }

  private enum Step: Hashable {
    case other
    case same
    case next
    case previous
  }

  /// A place, and how it was come to.
  private struct Origin {
    let place: Place?
    let cell: Int
    let step: Step
  }

  private let rules: PasswordRuleSet
  private let other: PasswordRuleSet
  private let progress: Progress
  private let otherProgress: Progress
  private var cells: [Cell] = []
  private let runsCount: Bool
  /// Beyond this length, a run is no different from a longer one.
  private let longestRun: Int

  private static let stateLimit = 10_000
  private static let longestLength = 1024
  /// Some characters for all those beyond ASCII.
  private static let beyondASCII: [Unicode.Scalar] = ["é", "ß", "ø", "ü"]

  init(
    _ rules: PasswordRuleSet, and other: PasswordRuleSet, reading: RequirementReading
  ) throws(PasswordRulesError) {
    self.rules = rules
    self.other = other
    let limits = [
      rules.repeatingLimit, rules.sequentialLimit, other.repeatingLimit, other.sequentialLimit,
    ].compactMap(\.self)
    runsCount = !limits.isEmpty
    longestRun = (limits.max() ?? 0) + 1
    let sequencesCount = rules.sequentialLimit != nil || other.sequentialLimit != nil

    var characters = Array(rules.listedAlphabet)
    if rules.alphabet == .unicode { characters += Self.beyondASCII }
    var kinds = (own: KindTable(rules.requirements), other: KindTable(other.requirements))
    var joint: [[Int]: [Unicode.Scalar]] = [:]
    var single: [Unicode.Scalar: [Int]] = [:]
    for character in characters {
      let key = [
        kinds.own.kind(of: character), kinds.other.kind(of: character),
        other.alphabet.contains(character) ? 1 : 0,
      ]
      if sequencesCount, character.isInSequence {
        single[character] = key
      } else {
        joint[key, default: []].append(character)
      }
    }
    var cells: [Cell] = []
    func add(_ characters: [Unicode.Scalar], _ key: [Int]) {
      cells.append(
        Cell(
          characters: characters, kind: key[0], otherKind: key[1], isAllowedByOther: key[2] == 1))
    }
    var places: [Unicode.Scalar: Int] = [:]
    for (character, key) in single.sorted(by: { $0.key < $1.key }) {
      places[character] = cells.count
      add([character], key)
    }
    for (key, characters) in joint.sorted(by: { $0.value[0] < $1.value[0] }) {
      add(characters, key)
    }
    for (character, cell) in places {
      cells[cell].next = character.nextInSequence.flatMap { places[$0] }
      if let next = cells[cell].next { cells[next].previous = cell }
    }
    self.cells = cells
    guard
      let progress = Progress(
        rules.requirements, reading: reading, kinds: kinds.own.examples, limit: Self.stateLimit),
      let otherProgress = Progress(
        other.requirements, reading: reading, kinds: kinds.other.examples, limit: Self.stateLimit)
    else { throw .tooComplex("The required classes overlap in too many ways") }
    self.progress = progress
    self.otherProgress = otherProgress
  }

  /// The shortest password that satisfies the rules and not the other ones; nil when there is none.
  func witness() throws(PasswordRulesError) -> String? {
    let (least, most) = (rules.minLength ?? 0, rules.maxLength ?? .max)
    let (otherLeast, otherMost) = (other.minLength ?? 0, other.maxLength ?? .max)
    // From this length on, only the characters tell the two apart.
    let settled = max(least, otherLeast, otherMost == .max ? 0 : otherMost + 1)
    var layers: [[Place: Origin]] = [[Place(): Origin(place: nil, cell: 0, step: .other)]]
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
      layers.append(next)
    }
    return nil
  }

  private func extended(_ layer: [Place: Origin]) -> [Place: Origin] {
    var next: [Place: Origin] = [:]
    for place in layer.keys {
      for (number, cell) in cells.enumerated() {
        for step in steps(from: place, to: number) {
          guard let reached = self.place(after: place, number, cell, step) else { continue }
          if next[reached] == nil { next[reached] = Origin(place: place, cell: number, step: step) }
        }
      }
    }
    return next
  }

  /// The ways in which a character of a cell can follow the last one.
  private func steps(from place: Place, to number: Int) -> [Step] {
    guard let last = place.cell else { return [.other] }
    if last == number { return cells[number].characters.count > 1 ? [.same, .other] : [.same] }
    if cells[last].next == number { return [.next] }
    return cells[last].previous == number ? [.previous] : [.other]
  }

  private func place(after place: Place, _ number: Int, _ cell: Cell, _ step: Step) -> Place? {
    var reached = Place()
    reached.progress = progress.transitions[place.progress][cell.kind]
    reached.otherProgress =
      cell.isAllowedByOther
      ? place.otherProgress.map { otherProgress.transitions[$0][cell.otherKind] } : nil
    guard runsCount else { return reached }
    reached.cell = number
    reached.step = step
    let length = step == .other ? 1 : step == place.step ? place.runLength + 1 : 2
    reached.runLength = min(length, longestRun)
    let (limit, otherLimit) =
      step == .same
      ? (rules.repeatingLimit, other.repeatingLimit)
      : (rules.sequentialLimit, other.sequentialLimit)
    if step != .other {
      if length > limit ?? .max { return nil }
      if length > otherLimit ?? .max { reached.otherProgress = nil }
    }
    return reached
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
        origin.step == .same
        ? password.last : characters.first { $0 != password.last } ?? characters.first
      if let character { password.append(character) }
    }
    return String(password)
  }
}

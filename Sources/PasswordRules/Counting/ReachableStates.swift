/// The states that passwords of one length can reach within the limits on runs.
struct ReachableStates: Sendable {
  private struct Place: Hashable {
    var progress = 0
    /// The cell of the last character; nil before the first, and if runs are unlimited.
    var cell: Int?
    var run = Run()
  }

  private let space: PasswordSpace
  private var places: Set<Place> = [Place()]

  /// The number of states from which a search is given up.
  private static let workLimit = 1 << 17

  /// Creates the state before the first character.
  init(_ space: PasswordSpace) {
    self.space = space
  }

  private func place(after place: Place, _ cell: Int, _ step: Run.Step) -> Place? {
    guard let run = space.limits.run(place.run, extendedBy: step) else { return nil }
    return Place(
      progress: space.progress(after: place.progress, cell),
      cell: space.limits.isEmpty ? nil : cell, run: run)
  }

  /// Advances by the characters of a password; returns false if appending cannot repair it.
  mutating func follow(_ password: some Sequence<Unicode.Scalar>) -> Bool {
    var place = Place()
    var last: Unicode.Scalar?
    for scalar in password {
      let step = last.map { Run.Step(from: $0, to: scalar) } ?? .other
      guard let cell = space.cells.firstIndex(where: { $0.characters.contains(scalar) }),
        let next = self.place(after: place, cell, step)
      else { return false }
      (place, last) = (next, scalar)
    }
    places = [place]
    return true
  }

  /// Returns the smallest length, within a range, at which every requirement is met.
  ///
  /// The search stops when the states repeat, however long the range is.
  ///
  /// - Throws: ``PasswordRulesError/tooComplex(_:)`` if they are too many.
  mutating func shortest(in lengths: ClosedRange<Int>) throws(PasswordRulesError) -> Int? {
    var work = 0
    for length in 0...lengths.upperBound {
      if length >= lengths.lowerBound, isAccepting { return length }
      let next = extended()
      if next.isEmpty { return nil }
      // From here on, all lengths are equivalent.
      if next == places { return isAccepting ? lengths.lowerBound : nil }
      places = next
      work += places.count
      if work > Self.workLimit { throw .tooComplex("The limits on runs are too high") }
    }
    return nil
  }

  /// Whether one of the states meets every requirement.
  private var isAccepting: Bool { places.contains { space.progress.accepting[$0.progress] } }

  /// Returns the states after one more character.
  private func extended() -> Set<Place> {
    var reached = Set<Place>()
    for place in places {
      for (cell, step) in space.cells.steps(after: place.cell) {
        if let next = self.place(after: place, cell, step) { reached.insert(next) }
      }
    }
    return reached
  }
}

/// Where passwords of one length can have led, as far as they keep the limits on runs.
struct PasswordReach: Sendable {
  struct Place: Hashable {
    var progress: Int
    /// Nil before the first character.
    var cell: Int?
    var run: PasswordCounts.Run
  }

  private let space: PasswordSpace
  private(set) var places: Set<Place>

  /// Before the first character.
  init(_ space: PasswordSpace) {
    self.space = space
    places = [Place(progress: 0, cell: nil, run: .fresh)]
  }

  /// Whether one of the places meets every requirement.
  var isAccepting: Bool { places.contains { space.progress.accepting[$0.progress] } }

  /// Goes on by one character.
  mutating func extend() {
    var reached = Set<Place>()
    for place in places {
      let next = space.progress.transitions[place.progress]
      var taken: [Int] = []
      if let cell = place.cell {
        for (follower, run) in space.followers(of: cell, place.run) {
          taken.append(follower)
          guard let run else { continue }
          reached.insert(
            Place(progress: next[space.cells[follower].kind], cell: follower, run: run))
        }
      }
      for (number, cell) in space.cells.enumerated() {
        let excluded = taken.contains(number) ? 1 : 0
        if cell.characters.count > excluded {
          reached.insert(Place(progress: next[cell.kind], cell: number, run: .fresh))
        }
      }
    }
    places = reached
  }

  /// Goes on by the characters of a password; false when it breaks a rule that typing cannot mend.
  mutating func follow(_ password: some Sequence<Unicode.Scalar>) -> Bool {
    guard var place = places.first else { return false }
    var last: Unicode.Scalar?
    for scalar in password {
      guard let number = space.cells.firstIndex(where: { $0.characters.contains(scalar) }) else {
        return false
      }
      var run: PasswordCounts.Run? = .fresh
      if let cell = place.cell {
        let follower = space.followers(of: cell, place.run)
          .first { $0.cell == number && (number != cell || scalar == last) }
        if let follower { run = follower.run }
      }
      guard let run else { return false }
      place = Place(
        progress: space.progress.transitions[place.progress][space.cells[number].kind],
        cell: number, run: run)
      last = scalar
    }
    places = [place]
    return true
  }

  /// The fewest characters, within a range, after which every requirement is met.
  ///
  /// Once the places repeat themselves, nothing new comes, however long the range is.
  mutating func shortest(in lengths: ClosedRange<Int>) -> Int? {
    var length = 0
    while length <= lengths.upperBound {
      if length >= lengths.lowerBound, isAccepting { return length }
      let before = places
      extend()
      if places.isEmpty { return nil }
      length += 1
      if places == before {
        // From here on, every length is as good as this one.
        return isAccepting ? max(length, lengths.lowerBound) : nil
      }
    }
    return nil
  }
}

/// The passwords of one length that satisfy a rule set, each with a number from zero on.
struct PasswordRanking: Sendable {
  let length: Int
  private let space: PasswordSpace
  /// By the number of characters to come.
  private let counts: [PasswordCounts]

  /// - Complexity: Memory and time grow with the length's square.
  init(_ space: PasswordSpace, length: Int) {
    self.length = length
    self.space = space
    var counts = [PasswordCounts(space)]
    for _ in 0..<length {
      var next = counts[counts.count - 1]
      next.extend()
      counts.append(next)
    }
    self.counts = counts
  }

  /// How many there are.
  var count: Natural { counts[length].all[0] }

  /// The password of a number below the count.
  ///
  /// After each character, first those passwords are numbered that continue a run, then all others by
  /// cell, by character, and by what follows.
  func password(_ rank: Natural) -> [Unicode.Scalar] {
    var rank = rank
    var place = Place()
    var password: [Unicode.Scalar] = []
    password.reserveCapacity(length)
    for remaining in (0..<length).reversed() {
      place = next(after: place, remaining, &rank)
      password.append(place.last!)
    }
    return password
  }

  private func next(after place: Place, _ remaining: Int, _ rank: inout Natural) -> Place {
    let counts = counts[remaining]
    let followers = followers(of: place)
    for follower in followers {
      guard let run = follower.run else { continue }
      let ways = counts.ways(follower.progress, follower.cell, run)
      if rank < ways { return follower.place(run) }
      rank -= ways
    }
    // The others are numbered with gaps where the followers would be, if they began afresh.
    for follower in followers where rank >= start(of: follower, after: place, remaining) {
      rank += counts.ways(follower.progress, follower.cell, .fresh)
    }
    let (cell, earlier) = self.counts[remaining + 1].cell(ofRank: rank, place.progress)
    rank -= earlier
    let progress = space.progress(after: place.progress, cell)
    let characters = space.cells[cell].characters
    let index = rank.divide(by: counts.ways(progress, cell, .fresh), below: characters.count)
    return Place(progress: progress, cell: cell, run: .fresh, last: characters[index])
  }

  /// The number of a password; nil when it is not one of these.
  func rank(of password: [Unicode.Scalar]) -> Natural? {
    guard password.count == length else { return nil }
    var rank: Natural = 0
    var place = Place()
    for (offset, scalar) in password.enumerated() {
      guard let next = next(scalar, after: place, length - offset - 1, &rank) else { return nil }
      place = next
    }
    return space.progress.accepting[place.progress] ? rank : nil
  }

  private func next(
    _ scalar: Unicode.Scalar, after place: Place, _ remaining: Int, _ rank: inout Natural
  ) -> Place? {
    let counts = counts[remaining]
    let followers = followers(of: place)
    for follower in followers {
      if follower.character == scalar { return follower.run.map(follower.place) }
      if let run = follower.run { rank += counts.ways(follower.progress, follower.cell, run) }
    }
    guard let cell = space.cells.firstIndex(where: { $0.characters.contains(scalar) }),
      let index = space.cells[cell].characters.firstIndex(of: scalar)
    else { return nil }
    let progress = space.progress(after: place.progress, cell)
    let ways = counts.ways(progress, cell, .fresh)
    rank += self.counts[remaining + 1].earlierWays(place.progress, cell)
    rank.add(ways, times: UInt64(index))
    for follower in followers where (follower.cell, follower.index) < (cell, index) {
      rank -= counts.ways(follower.progress, follower.cell, .fresh)
    }
    return Place(progress: progress, cell: cell, run: .fresh, last: scalar)
  }

  /// Where one is in a password.
  private struct Place {
    var progress = 0
    var cell = -1
    var run = PasswordCounts.Run.fresh
    var last: Unicode.Scalar?
  }

  /// A character that does not begin afresh.
  private struct Follower {
    let character: Unicode.Scalar
    let cell: Int
    /// Its place in its cell.
    let index: Int
    let progress: Int
    /// Nil when the run would be too long.
    let run: PasswordCounts.Run?

    func place(_ run: PasswordCounts.Run) -> Place {
      Place(progress: progress, cell: cell, run: run, last: character)
    }
  }

  private func followers(of place: Place) -> [Follower] {
    guard let last = place.last else { return [] }
    return space.followers(of: place.cell, place.run).map { cell, run in
      // A neighbour is the only one in its cell.
      let characters = space.cells[cell].characters
      let index = cell == place.cell ? characters.firstIndex(of: last) ?? 0 : 0
      return Follower(
        character: characters[index], cell: cell, index: index,
        progress: space.progress(after: place.progress, cell), run: run)
    }
  }

  /// The number of the first password that goes on with a follower, if that began afresh.
  private func start(of follower: Follower, after place: Place, _ remaining: Int) -> Natural {
    var start = counts[remaining + 1].earlierWays(place.progress, follower.cell)
    start.add(
      counts[remaining].ways(follower.progress, follower.cell, .fresh),
      times: UInt64(follower.index))
    return start
  }
}

extension PasswordSpace {
  /// The state of progress after a character of a cell.
  fileprivate func progress(after state: Int, _ cell: Int) -> Int {
    progress.transitions[state][cells[cell].kind]
  }
}

extension Natural {
  /// Leaves the remainder, and returns the quotient, which is known to be below a bound.
  fileprivate mutating func divide(by divisor: Natural, below bound: Int) -> Int {
    var quotients = 0..<bound
    while quotients.count > 1 {
      let middle = quotients.lowerBound + quotients.count / 2
      if isLess(than: divisor, times: UInt64(middle)) {
        quotients = quotients.lowerBound..<middle
      } else {
        quotients = middle..<quotients.upperBound
      }
    }
    var product: Natural = 0
    product.add(divisor, times: UInt64(quotients.lowerBound))
    self -= product
    return quotients.lowerBound
  }
}

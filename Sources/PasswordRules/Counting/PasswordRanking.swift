/// The passwords of one length that satisfy a rule set, numbered from zero.
struct PasswordRanking: Sendable {
  let length: Int
  private let space: PasswordSpace
  /// By the number of remaining characters.
  private let counts: [PasswordCounts]

  /// - Complexity: Memory and time are quadratic in the length.
  init(_ space: PasswordSpace, length: Int) {
    self.length = length
    self.space = space
    var counts = [PasswordCounts(space)]
    for _ in 0..<length {
      var next = counts[counts.count - 1]
      next.extend(in: space)
      counts.append(next)
    }
    self.counts = counts
  }

  /// The number of passwords.
  var count: Natural { counts[length].all[0] }

  /// Returns the password with a number below the count.
  ///
  /// After each character, the passwords that continue a run come first; all others follow, ordered
  /// by cell, then by character, then by the rest.
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
    // The other passwords are numbered with gaps, as if the followers started a fresh run.
    for follower in followers where rank >= start(of: follower, after: place, remaining) {
      rank += counts.ways(follower.progress, follower.cell, Run())
    }
    let (cell, earlier) = self.counts[remaining + 1].cell(ofRank: rank, place.progress)
    rank -= earlier
    let progress = space.progress(after: place.progress, cell)
    let characters = space.cells[cell].characters
    let index = rank.divide(by: counts.ways(progress, cell, Run()), below: characters.count)
    return Place(progress: progress, cell: cell, last: characters[index])
  }

  /// The state after a part of a password.
  private struct Place {
    var progress = 0
    var cell = -1
    var run = Run()
    var last: Unicode.Scalar?
  }

  /// A character that continues a run.
  private struct Follower {
    let character: Unicode.Scalar
    let cell: Int
    /// Its position in its cell.
    let index: Int
    let progress: Int
    /// Nil if the run would be too long.
    let run: Run?

    func place(_ run: Run) -> Place {
      Place(progress: progress, cell: cell, run: run, last: character)
    }
  }

  private func followers(of place: Place) -> [Follower] {
    guard let last = place.last else { return [] }
    return space.followers(of: place.cell, place.run).map { cell, run in
      // A neighbour is the only character of its cell.
      let characters = space.cells[cell].characters
      let index = cell == place.cell ? characters.firstIndex(of: last) ?? 0 : 0
      return Follower(
        character: characters[index], cell: cell, index: index,
        progress: space.progress(after: place.progress, cell), run: run)
    }
  }

  /// Returns the number of the first password that a follower would have without a run.
  private func start(of follower: Follower, after place: Place, _ remaining: Int) -> Natural {
    var start = counts[remaining + 1].earlierWays(place.progress, follower.cell)
    start.add(
      counts[remaining].ways(follower.progress, follower.cell, Run()),
      times: UInt64(follower.index))
    return start
  }
}

extension Natural {
  /// Leaves the remainder and returns the quotient, which must be below a bound.
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

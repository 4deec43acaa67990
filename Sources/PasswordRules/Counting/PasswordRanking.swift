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
  func password(_ rank: Natural) -> [Unicode.Scalar] {
    var rank = rank
    var place = Place()
    var password: [Unicode.Scalar] = []
    password.reserveCapacity(length)
    for remaining in (0..<length).reversed() {
      for choice in choices(after: place) {
        let ways = counts[remaining].ways(choice.place.progress, choice.place.cell, choice.place.run)
        let total = Natural(ways, times: choice.characters.count)
        if rank < total {
          let index = rank.divide(by: ways, below: choice.characters.count)
          place = choice.place
          place.last = choice.characters[index]
          break
        }
        rank -= total
      }
      password.append(place.last!)
    }
    return password
  }

  /// The number of a password; nil when it is not one of these.
  func rank(of password: [Unicode.Scalar]) -> Natural? {
    guard password.count == length else { return nil }
    var rank: Natural = 0
    var place = Place()
    for (offset, scalar) in password.enumerated() {
      var isFound = false
      for choice in choices(after: place) {
        let ways = counts[length - offset - 1]
          .ways(choice.place.progress, choice.place.cell, choice.place.run)
        let index = choice.characters.firstIndex(of: scalar)
        rank.add(ways, times: UInt64(index ?? choice.characters.count))
        if index != nil {
          place = choice.place
          place.last = scalar
          isFound = true
          break
        }
      }
      if !isFound { return nil }
    }
    return space.progress.accepting[place.progress] ? rank : nil
  }

  /// Where one is in a password.
  private struct Place {
    var progress = 0
    var cell = -1
    var run = PasswordCounts.Run.fresh
    var last: Unicode.Scalar?
  }

  /// Characters that lead to the same place, apart from which of them is the last.
  private struct Choice {
    let place: Place
    let characters: [Unicode.Scalar]
  }

  /// The characters that may follow: first those that continue a run, then all others.
  private func choices(after place: Place) -> [Choice] {
    let next = space.progress.transitions[place.progress]
    func choice(_ cell: Int, _ run: PasswordCounts.Run, _ characters: [Unicode.Scalar]) -> Choice {
      Choice(
        place: Place(progress: next[space.cells[cell].kind], cell: cell, run: run),
        characters: characters)
    }
    var choices: [Choice] = []
    var taken: [Unicode.Scalar] = []
    if let last = place.last {
      for (cell, run) in space.followers(of: place.cell, place.run) {
        // A neighbour is the only one in its cell.
        let character = cell == place.cell ? last : space.cells[cell].characters[0]
        taken.append(character)
        if let run { choices.append(choice(cell, run, [character])) }
      }
    }
    for (number, cell) in space.cells.enumerated() {
      let characters = taken.isEmpty ? cell.characters : cell.characters.filter { !taken.contains($0) }
      if !characters.isEmpty { choices.append(choice(number, .fresh, characters)) }
    }
    return choices
  }
}

extension Natural {
  fileprivate init(_ value: Natural, times factor: Int) {
    self = 0
    add(value, times: UInt64(factor))
  }

  /// Leaves the remainder, and returns the quotient, which is known to be below a bound.
  fileprivate mutating func divide(by divisor: Natural, below bound: Int) -> Int {
    var quotients = 0..<bound
    while quotients.count > 1 {
      let middle = quotients.lowerBound + quotients.count / 2
      if self < Natural(divisor, times: middle) {
        quotients = quotients.lowerBound..<middle
      } else {
        quotients = middle..<quotients.upperBound
      }
    }
    self -= Natural(divisor, times: quotients.lowerBound)
    return quotients.lowerBound
  }
}

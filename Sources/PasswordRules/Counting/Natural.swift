/// A natural number of any size, such as the number of passwords that satisfy a rule set.
public struct Natural: Hashable, Sendable {
  /// The digits to the base 2^64, the lowest first, and no zeros at the end.
  private(set) var limbs: [UInt64]

  /// Makes a number of a machine's own.
  public init(_ value: UInt64 = 0) {
    limbs = value == 0 ? [] : [value]
  }

  private init(limbs: [UInt64]) {
    self.limbs = limbs
    while self.limbs.last == 0 { self.limbs.removeLast() }
  }

  /// Whether the number is zero.
  public var isZero: Bool { limbs.isEmpty }

  /// How many binary digits it takes.
  public var bitWidth: Int {
    limbs.last.map { limbs.count * 64 - $0.leadingZeroBitCount } ?? 0
  }

  /// Its binary logarithm, or minus infinity for zero.
  public var binaryLogarithm: Double {
    guard let highest = limbs.last else { return -.infinity }
    // Two limbs have more digits than the result can show.
    let below = limbs.count > 1 ? Double(limbs[limbs.count - 2]) / 0x1p64 : 0
    return Self.binaryLogarithm(Double(highest) + below) + Double((limbs.count - 1) * 64)
  }

  static func += (sum: inout Natural, addend: Natural) {
    var carry: UInt64 = 0
    for index in 0..<Swift.max(sum.limbs.count, addend.limbs.count) {
      if index == sum.limbs.count { sum.limbs.append(0) }
      let other = index < addend.limbs.count ? addend.limbs[index] : 0
      let (partial, over) = sum.limbs[index].addingReportingOverflow(other)
      let (limb, overNow) = partial.addingReportingOverflow(carry)
      sum.limbs[index] = limb
      carry = over || overNow ? 1 : 0
      if carry == 0, index >= addend.limbs.count { return }
    }
    if carry == 1 { sum.limbs.append(1) }
  }

  /// Takes away a number that is not larger.
  static func -= (difference: inout Natural, subtrahend: Natural) {
    var borrow: UInt64 = 0
    for index in difference.limbs.indices {
      let other = index < subtrahend.limbs.count ? subtrahend.limbs[index] : 0
      let (partial, under) = difference.limbs[index].subtractingReportingOverflow(other)
      let (limb, underNow) = partial.subtractingReportingOverflow(borrow)
      difference.limbs[index] = limb
      borrow = under || underNow ? 1 : 0
      if borrow == 0, index >= subtrahend.limbs.count { break }
    }
    precondition(borrow == 0, "A natural number was to become less than zero.")
    while difference.limbs.last == 0 { difference.limbs.removeLast() }
  }

  /// Adds a number as often as a factor says.
  mutating func add(_ addend: Natural, times factor: UInt64) {
    if factor == 0 { return }
    var carry: UInt64 = 0
    for index in addend.limbs.indices {
      if index == limbs.count { limbs.append(0) }
      let (high, low) = addend.limbs[index].multipliedFullWidth(by: factor)
      let (partial, over) = limbs[index].addingReportingOverflow(low)
      let (limb, overNow) = partial.addingReportingOverflow(carry)
      limbs[index] = limb
      // The high half of a product is at most 2^64 − 2, so this has room.
      carry = high + (over ? 1 : 0) + (overNow ? 1 : 0)
    }
    if carry > 0 {
      self += Natural(limbs: Array(repeating: 0, count: addend.limbs.count) + [carry])
    }
  }

  /// Whether it is less than another number times a factor, found without making the product.
  func isLess(than other: Natural, times factor: UInt64) -> Bool {
    var carry: UInt64 = 0
    var isLess = false
    for index in 0..<Swift.max(limbs.count, other.limbs.count) {
      let (high, low) = (index < other.limbs.count ? other.limbs[index] : 0)
        .multipliedFullWidth(by: factor)
      let (limb, over) = low.addingReportingOverflow(carry)
      carry = high + (over ? 1 : 0)
      let own = index < limbs.count ? limbs[index] : 0
      if own != limb { isLess = own < limb }
    }
    return carry > 0 || isLess
  }

  /// Divides by a number that is not zero, and returns the remainder.
  mutating func divide(by divisor: UInt64) -> UInt64 {
    var remainder: UInt64 = 0
    for index in limbs.indices.reversed() {
      (limbs[index], remainder) = divisor.dividingFullWidth((remainder, limbs[index]))
    }
    while limbs.last == 0 { limbs.removeLast() }
    return remainder
  }

  /// A number below a bound that is not zero, each as likely as any other.
  static func random(
    below bound: Natural, using generator: inout some RandomNumberGenerator
  ) -> Natural {
    let spare = UInt64(bound.limbs.count * 64 - bound.bitWidth)
    while true {
      var limbs = bound.limbs.map { _ in generator.next() as UInt64 }
      limbs[limbs.count - 1] >>= spare
      let candidate = Natural(limbs: limbs)
      if candidate < bound { return candidate }
    }
  }

  /// The binary logarithm of a number from 1 on, by squaring: the standard library has none.
  private static func binaryLogarithm(_ value: Double) -> Double {
    var mantissa = value.significand
    var logarithm = Double(value.exponent)
    var bit = 0.5
    while bit > 0x1p-53 {
      mantissa *= mantissa
      if mantissa >= 2 {
        mantissa /= 2
        logarithm += bit
      }
      bit /= 2
    }
    return logarithm
  }
}

extension Natural: Comparable {
  /// Whether one number is less than another.
  public static func < (one: Natural, other: Natural) -> Bool {
    if one.limbs.count != other.limbs.count { return one.limbs.count < other.limbs.count }
    for (own, others) in zip(one.limbs.reversed(), other.limbs.reversed()) where own != others {
      return own < others
    }
    return false
  }
}

extension Natural: ExpressibleByIntegerLiteral {
  /// Makes the number of a literal.
  public init(integerLiteral value: UInt64) {
    self.init(value)
  }
}

extension Natural: CustomStringConvertible {
  /// The number in decimal digits.
  ///
  /// - Complexity: Quadratic in the number of digits.
  public var description: String {
    var rest = self
    var groups: [String] = []
    repeat {
      let group = String(rest.divide(by: 1_000_000_000_000_000_000))
      groups.append(rest.isZero ? group : String(repeating: "0", count: 18 - group.count) + group)
    } while !rest.isZero
    return groups.reversed().joined()
  }
}

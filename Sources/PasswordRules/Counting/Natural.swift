/// A natural number of any size, such as the number of passwords that satisfy a rule set.
public struct Natural: Hashable, Sendable {
  /// The digits in base 2^64, least significant first; the last one is never zero.
  private(set) var limbs: [UInt64]

  /// Creates a number from an integer.
  public init(_ value: UInt64 = 0) { limbs = value == 0 ? [] : [value] }

  private init(limbs: [UInt64]) {
    self.limbs = limbs
    while self.limbs.last == 0 { self.limbs.removeLast() }
  }

  /// Whether the number is zero.
  public var isZero: Bool { limbs.isEmpty }

  /// The number of significant binary digits, which is zero for zero.
  public var bitWidth: Int { limbs.last.map { limbs.count * 64 - $0.leadingZeroBitCount } ?? 0 }

  /// The binary logarithm, or minus infinity for zero.
  public var binaryLogarithm: Double {
    guard let highest = limbs.last else { return -.infinity }
    // Two limbs have more digits than the result.
    let below = limbs.count > 1 ? Double(limbs[limbs.count - 2]) / 0x1p64 : 0
    let leading = Double(highest) + below
    // The standard library has no logarithm. Squaring the mantissa yields one binary digit.
    var (mantissa, fraction, bit) = (leading.significand, 0.0, 1.0)
    while bit > 0x1p-52 {
      bit /= 2
      mantissa *= mantissa
      fraction += Double(mantissa.exponent) * bit
      mantissa = mantissa.significand
    }
    return Double(leading.exponent) + fraction + Double((limbs.count - 1) * 64)
  }

  static func += (sum: inout Natural, addend: Natural) { sum.add(addend, times: 1) }

  /// Subtracts a number, which must not be greater than this one.
  static func -= (difference: inout Natural, subtrahend: Natural) {
    var carry: Int128 = 0
    for index in difference.limbs.indices {
      let other = index < subtrahend.limbs.count ? subtrahend.limbs[index] : 0
      carry = carry &+ Int128(difference.limbs[index]) &- Int128(other)
      difference.limbs[index] = UInt64(truncatingIfNeeded: carry)
      carry >>= 64
      if carry == 0, index >= subtrahend.limbs.count { break }
    }
    precondition(carry == 0, "Cannot subtract a greater number from a natural number.")
    while difference.limbs.last == 0 { difference.limbs.removeLast() }
  }

  /// Adds the product of a number and a factor.
  mutating func add(_ addend: Natural, times factor: UInt64) {
    if factor == 0 { return }
    var carry: UInt128 = 0
    var index = 0
    while index < addend.limbs.count || carry > 0 {
      if index == limbs.count { limbs.append(0) }
      let other = index < addend.limbs.count ? addend.limbs[index] : 0
      // The product is at most 2^128 − 2^65 + 1, so the sum cannot overflow.
      carry = carry &+ UInt128(limbs[index]) &+ UInt128(other) &* UInt128(factor)
      limbs[index] = UInt64(truncatingIfNeeded: carry)
      carry >>= 64
      index += 1
    }
  }

  /// Divides by a nonzero number and returns the remainder.
  mutating func divide(by divisor: UInt64) -> UInt64 {
    var remainder: UInt64 = 0
    for index in limbs.indices.reversed() {
      (limbs[index], remainder) = divisor.dividingFullWidth((remainder, limbs[index]))
    }
    while limbs.last == 0 { limbs.removeLast() }
    return remainder
  }

  /// Returns a random number below a nonzero bound, with a uniform distribution.
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

}

extension Natural: Comparable {
  /// Returns whether one number is less than another.
  public static func < (one: Natural, other: Natural) -> Bool {
    if one.limbs.count != other.limbs.count { return one.limbs.count < other.limbs.count }
    return one.limbs.reversed().lexicographicallyPrecedes(other.limbs.reversed())
  }
}

extension Natural: ExpressibleByIntegerLiteral {
  /// Creates a number from an integer literal.
  public init(integerLiteral value: UInt64) { self.init(value) }
}

extension Natural: CustomStringConvertible {
  /// The decimal representation of the number.
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

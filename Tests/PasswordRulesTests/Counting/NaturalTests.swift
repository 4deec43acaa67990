import Testing

@testable import PasswordRules

struct NaturalTests {
  /// Every digit in base 2^64 carries, both from the product and from the sum.
  @Test func carriesReachEveryDigit() {
    var number = Natural(.max)
    number.add(Natural(.max), times: .max)
    #expect(number.description == "340282366920938463444927863358058659840")
    number += Natural(.max)
    let ones = number
    number.add(ones, times: .max)
    #expect(
      number.description == "6277101735386680763835789423207666416083908700390324961280")
    #expect(!number.isLess(than: ones, times: .max))
    number -= ones
    #expect(!number.isLess(than: ones, times: .max))
    number -= 1
    #expect(number.isLess(than: ones, times: .max) && ones < number)
    number += 2
    #expect(number.bitWidth == 192)
  }
}

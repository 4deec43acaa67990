import Testing

@testable import PasswordRules

struct NaturalTests {
  /// Every digit in base 2^64 carries, from the product, the sum and the difference.
  @Test func carriesReachEveryDigit() {
    var number = Natural(.max)
    number.add(Natural(.max), times: .max)
    #expect(number.description == "340282366920938463444927863358058659840")
    number += Natural(.max)
    let ones = number
    number.add(ones, times: .max)
    #expect(
      number.description == "6277101735386680763835789423207666416083908700390324961280")
    number -= ones
    let remainder = number.divide(by: .max)
    #expect(remainder == 0 && number == ones)
    number -= 1
    #expect(number < ones)
    number += 2
    #expect(number > ones && number.bitWidth == 129)
  }
}

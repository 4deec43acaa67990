import Testing

@testable import ValueFormats

struct StoredNumberTests {
  @Test func integralTextIsAnInteger() throws {
    for row in try Fixture.rows("integer", of: "texts") {
      let value = try #require(Int(row[1]))
      #expect(StoredNumber.text(row[0]).integer(Int.self) == value, "\(row)")
    }
  }

  @Test func otherTextIsNoInteger() throws {
    for row in try Fixture.rows("no integer", of: "texts") {
      #expect(StoredNumber.text(row[0]).integer(Int.self) == nil, "\(row)")
    }
  }

  @Test func eachTypeHasItsLimits() {
    func check<Integer: FixedWidthInteger>(_ type: Integer.Type) {
      for value in [Integer.min, .max] {
        #expect(StoredNumber.text("\(value)").integer() == value)
        #expect(StoredNumber.text("\(value).0").integer() == value)
        #expect(StoredNumber.text("\(value)0e-1").integer() == value)
        #expect(StoredNumber.text("\(value)e0").integer() == value)
      }
      let beyond = Integer.max.description.dropLast() + "9.0"
      #expect(StoredNumber.text(String(beyond)).integer(type) == nil)
      #expect(StoredNumber.text("\(Integer.max)0").integer(type) == nil)
      #expect(StoredNumber.text("\(Integer.max)e1").integer(type) == nil)
    }
    for type in allIntegers { check(type) }
    #expect(StoredNumber.text("-1.0").integer(UInt8.self) == nil)
    #expect(StoredNumber.text("-0.0").integer(UInt8.self) == 0)
    #expect(StoredNumber.integer(256).integer(UInt8.self) == nil)
    #expect(StoredNumber.real(255).integer(UInt8.self) == 255)
    #expect(StoredNumber.real(0.5).integer(UInt8.self) == nil)
    #expect(StoredNumber.real(.nan).integer(Int.self) == nil)
    #expect(StoredNumber.real(.infinity).integer(Int.self) == nil)
    #expect(StoredNumber.float(-2).integer(Int.self) == -2)
  }

  /// Parsing a number as long as the largest file takes no longer than reading it.
  @Test func longTextIsRead() {
    let zeros = String(repeating: "0", count: 1_000_000)
    #expect(StoredNumber.text("7" + zeros + "e-1000000").integer(Int.self) == 7)
    #expect(StoredNumber.text("0." + zeros + "7e1000001").integer(Int.self) == 7)
    #expect(StoredNumber.text("1e" + zeros).integer(Int.self) == 1)
    #expect(StoredNumber.text("1" + zeros).integer(Int.self) == nil)
  }

  @Test func realsAreTheNearest() {
    #expect(StoredNumber.text("0.8").double == 0.8)
    #expect(StoredNumber.text("-0").double?.sign == .minus)
    #expect(StoredNumber.text("1e400").double == nil)
    #expect(StoredNumber.text("-1e400").double == nil)
    #expect(StoredNumber.text("1e-400").double == 0)
    #expect(StoredNumber.text("x").double == nil)
    #expect(StoredNumber.text("nan").double?.isNaN == true)
    #expect(StoredNumber.text("-infinity").double == -.infinity)
    #expect(StoredNumber.integer(3).double == 3)
    #expect(StoredNumber.float(0.5).double == 0.5)
    #expect(StoredNumber.text("1e39").float == nil)
    #expect(StoredNumber.real(1e39).float == nil)
    #expect(StoredNumber.real(.infinity).float == .infinity)
    #expect(StoredNumber.real(0.1).float == 0.1)
    #expect(StoredNumber.integer(.max).float == Float(Int128.max))
    // Rounded to a Double first, this would be halfway between two Floats and become the other one.
    #expect(StoredNumber.text("1.00000005960464477540").float == Float(1).nextUp)
  }
}

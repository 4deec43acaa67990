import TestSupport
import Testing

@testable import ValueFormats

struct StoredNumberTests {
  @Test func numbersOfTwoSizesAreComparedByValue() throws {
    let format = BinaryPropertyListFormat()
    func isSame(_ first: StoredNumber, _ second: StoredNumber) throws -> Bool {
      format.isSame(
        ArraySlice(try format.encode(.number(first))),
        ArraySlice(try format.encode(.number(second))))
    }
    #expect(try !isSame(.float(0.1), .real(0.1)))
    #expect(try isSame(.float(0.1), .real(Double(Float(0.1)))))
    #expect(try isSame(.float(0.5), .real(0.5)))
    #expect(try isSame(.float(2), .integer(2)))
    #expect(try isSame(.float(.nan), .real(.nan)))
  }

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
        for text in ["\(value)", "\(value).0", "\(value)0e-1", "\(value)e0"] {
          #expect(StoredNumber.text(text).integer() == value)
        }
      }
      for text in [
        Integer.max.description.dropLast() + "9.0", "\(Integer.max)0", "\(Integer.max)e1",
      ] {
        #expect(StoredNumber.text(String(text)).integer(type) == nil)
      }
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
    let doubles: [(StoredNumber, Double?)] = [
      (.text("0.8"), 0.8), (.text("1e400"), nil), (.text("-1e400"), nil), (.text("1e-400"), 0),
      (.text("x"), nil), (.text("-infinity"), -.infinity), (.integer(3), 3), (.float(0.5), 0.5),
    ]
    for (number, double) in doubles { #expect(number.double == double, "\(number)") }
    #expect(StoredNumber.text("-0").double?.sign == .minus)
    #expect(StoredNumber.text("nan").double?.isNaN == true)
    let floats: [(StoredNumber, Float?)] = [
      (.text("1e39"), nil), (.real(1e39), nil), (.real(.infinity), .infinity), (.real(0.1), 0.1),
      (.integer(.max), Float(Int128.max)),
    ]
    for (number, float) in floats { #expect(number.float == float, "\(number)") }
    // Rounded to a Double first, this would be halfway between two Floats and become the other one.
    #expect(StoredNumber.text("1.00000005960464477540").float == Float(1).nextUp)
  }
}

import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

struct DecimalTests {
  private static let texts = [
    "0", "5", "-5", "129.9", "0.1", "-0.000001", "12345678901234567890123.456", "1e127", "1e-128",
    "340282366920938463463374607431768211455", "0.340282366920938463463374607431768211455",
    "-340282366920938463463374607431768211455e127", "0.10000000000000001", "1e20",
  ]

  private struct Price: Codable, Equatable {
    var net: Decimal
    var gross: Decimal?
    var steps: [Decimal]
  }

  @Test(arguments: KeyValueFormat.allCases)
  func decimalHasAllDigits(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let store = file.open()
    var random = Campaign.generator()
    let others = (0..<100).map { _ in
      Decimal(
        sign: Bool.random(using: &random) ? .plus : .minus,
        exponent: Int.random(in: -128...100, using: &random),
        significand: Decimal(random.next()) * Decimal(random.next()))
    }
    let decimals = try Self.texts.map { try #require(Decimal(string: $0)) } + others
    try store.transaction {
      try store.set(decimals, for: "list")
      for (number, decimal) in decimals.enumerated() {
        try store.set(Price(net: decimal, gross: decimal, steps: [decimal]), for: "\(number)")
      }
    }
    let other = file.open()
    #expect(try other.value(of: "list") == decimals)
    for (number, decimal) in decimals.enumerated() {
      let price = Price(net: decimal, gross: decimal, steps: [decimal])
      #expect(try other.value(of: "\(number)") == price, "\(decimal)")
    }
    let property = StoredValue(wrappedValue: Decimal.nan, "list", in: other)
    property.wrappedValue = .nan
    #expect(try file.open().value(of: "list", as: Decimal.self)?.isNaN == true)
  }

  @Test(
    arguments: [
      (.json, "129.9", "129.9"), (.json, "5", "5"), (.json, "0.1234567890123456789012", nil),
      (.xml, "129.9", "<real>129.9</real>"),
      (.xml, "5", "<integer>5</integer>"),
      (.xml, "0.1234567890123456789012", "<real>0.1234567890123456789012</real>"),
    ] as [(KeyValueFormat, String, String?)])
  func decimalIsANumber(_ format: KeyValueFormat, _ text: String, _ written: String?) throws {
    let decimal = try #require(Decimal(string: text))
    let bytes = try #require(try format.coding.encode(decimal, key: "key"))
    #expect(String(decoding: bytes, as: UTF8.self) == written ?? text)
  }

  @Test(arguments: [
    ("129.9", "129.9"), ("129.90", "129.9"), ("1299e-1", "129.9"), ("\"129.9\"", "129.9"),
    ("-0", "0"), ("1e3", "1000"), ("1000e-3", "1"),
    (
      #"{"exponent":-1,"isCompact":true,"isNegative":false,"length":1,"mantissa":[1299,0,0,0,0,0,0,0]}"#,
      "129.9"
    ),
  ])
  func numberOfOthersIsRead(_ json: String, _ text: String) throws {
    let read = try JSONFormat().value(Decimal.self, from: ArraySlice(json.utf8), key: "key")
    #expect(read == Decimal(string: text))
  }

  /// Rounding would alter the value in silence.
  @Test(arguments: [
    "\"\"", "\"ten\"", "true", "null", "[]", "1e166", "1e-129", "1e9999999999999999999999",
    "0.340282366920938463463374607431768211457", "1234567890123456789012345678901234567890123",
  ])
  func otherValueIsNoDecimal(_ json: String) {
    #expect(throws: KeyValueStoreError.self) {
      try JSONFormat().value(Decimal.self, from: ArraySlice(json.utf8), key: "key")
    }
  }
}

import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// Composite values, whose bytes are binary property lists.
struct PropertyListCoderTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case structureIsReadAndWritten
    case arraysAreReadAndWritten
    case setsAreReadAndWritten
    case emptyCollectionsAreReadAndWritten
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension PropertyListCoderTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .structureIsReadAndWritten: try structureIsReadAndWritten()
    case .arraysAreReadAndWritten: try arraysAreReadAndWritten()
    case .setsAreReadAndWritten: try setsAreReadAndWritten()
    case .emptyCollectionsAreReadAndWritten: try emptyCollectionsAreReadAndWritten()
    }
  }

  private struct Owner: Codable, Equatable {
    var abc: Int32
    var cde: String
    var def: URL?
  }

  private struct House: Codable, Equatable {
    var count = -3
    var isOpen = true
    var seal = Data([0, 255])
    var opened = Date(timeIntervalSinceReferenceDate: 1)
    var weight = 0.5
    var stamp = UInt64.max
    var owner = Owner(abc: -15, cde: "\u{e9}\u{1f30e}")
    var words = ["a", "b"]
    var places: [String: Int8] = ["x": 1]
    var absent: Int?
  }

  // The bytes are from Python's plistlib, whose files have the form of Apple's own.

  private func structureIsReadAndWritten() throws {
    try expect(
      House(),
      from: """
        62706c6973743030d90102030405060708090a0b0c0d121516171855636f756e745669734f70656e566f7065\
        6e6564556f776e657256706c61636573547365616c557374616d705677656967687455776f72647313ffffff\
        fffffffffd09333ff0000000000000d20e0f1011536162635363646513fffffffffffffff16300e9d83cdf0e\
        d11314517810014200ff140000000000000000ffffffffffffffff233fe0000000000000a2191a5161516208\
        1b21282f353c41474e545d5e676c70747d8487898b8e9fa8abad0000000000000101000000000000001b0000\
        00000000000000000000000000af
        """)
  }

  private var numbers: String {
    """
    62706c6973743030a70102030405060713ffffffffffffffff1000107f108012000100001300000100000000\
    001380000000000000000810191b1d1f242d0000000000000101000000000000000800000000000000000000\
    000000000036
    """
  }

  private func arraysAreReadAndWritten() throws {
    try expect([-1, 0, 127, 128, 65536, 1 << 40, .min], from: numbers)
    try expect(
      [true, false],
      from: """
        62706c6973743030a201020908080b0c00000000000001010000000000000003000000000000000000000000\
        0000000d
        """)
  }

  private func setsAreReadAndWritten() throws {
    try expect([-1, 0, 127, 128, 65536, 1 << 40, .min] as Set, from: numbers)
  }

  private func emptyCollectionsAreReadAndWritten() throws {
    let none = """
      62706c6973743030a0080000000000000101000000000000000100000000000000000000000000000009
      """
    try expect([Int](), from: none)
    try expect(Set<String>(), from: none)
  }

  private func expect<Value: Codable & Equatable>(
    _ value: Value, from hexadecimal: String
  ) throws {
    let digits = Array(hexadecimal.utf8)
    let bytes = Data(
      try stride(from: 0, to: digits.count, by: 2).map { place in
        try #require(UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16))
      })
    #expect(try KeychainDecoder().decode(Value.self, from: bytes) == value)
    #expect(try KeychainCoding().decode(Value.self, from: bytes) == value)

    let encoded = try KeychainEncoder().encode(value)
    #expect(encoded.starts(with: Data("bplist00".utf8)))
    #expect(try KeychainDecoder().decode(Value.self, from: encoded) == value)
    // The older package reads its items with this decoder.
    #expect(try PropertyListDecoder().decode(Value.self, from: encoded) == value)
    #expect(
      try PropertyListDecoder().decode(Value.self, from: KeychainCoding().encode(value)) == value)
  }
}

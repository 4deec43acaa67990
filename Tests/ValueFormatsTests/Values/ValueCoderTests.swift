import FoundationEssentials
import ValueFormats
import Testing

@Suite struct ValueCoderTests {
  let coder = ValueCoder()

  @Test(
    arguments: [
      ([0xfe], -2, 0xfe), ([0xfe, 0xff], -2, 0xfffe), ([0xfe, 0x7f], 0x7ffe, 0x7ffe),
      ([0xfe, 0xff, 0xff, 0xff], -2, 0xffff_fffe),
      ([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], -2, 0xffff_ffff_ffff_fffe),
      ([1, 0, 0, 0], 1, 1),
    ] as [([UInt8], Int, UInt)])
  func shorterIntegersAreSignExtended(bytes: [UInt8], signed: Int, unsigned: UInt) throws {
    #expect(try coder.decode(Int.self, from: bytes) == signed)
    #expect(try coder.decode(Int64.self, from: bytes) == Int64(signed))
    #expect(try coder.decode(UInt.self, from: bytes) == unsigned)
    #expect(try coder.decode(UInt64.self, from: bytes) == UInt64(unsigned))
  }

  @Test func integersOfEveryWidthComeBack() throws {
    func check<Integer: FixedWidthInteger & Codable>(_ type: Integer.Type) throws {
      for value in [type.min, type.max, 0, 1, type.max / 3, type.min / 3] {
        #expect(try coder.decode(type, from: coder.encode(value)) == value)
      }
    }
    for type in allIntegers { try check(type) }
  }

  @Test func integerOutOfRangeIsAnError() throws {
    try expectInvalid(Int8.self, from: coder.encode(128))
    try expectInvalid(Int8.self, from: coder.encode(-129))
    try expectInvalid(UInt8.self, from: coder.encode(-1))
    try expectInvalid(UInt16.self, from: coder.encode(65536))
    try expectInvalid(Int32.self, from: coder.encode(UInt32.max))
  }

  @Test(arguments: [0, 3, 5, 7, 9, 16])
  func integerInAnotherNumberOfBytesIsAnError(count: Int) {
    let bytes = [UInt8](repeating: 0, count: count)
    expectInvalid(Int.self, from: bytes)
    expectInvalid(UInt8.self, from: bytes)
  }

  @Test func boolIsTheIntegerZeroOrOne() throws {
    #expect(try coder.decode(Bool.self, from: [1]))
    expectInvalid(Bool.self, from: [2])
    expectInvalid(Bool.self, from: [0xff])
    #expect(throws: ValueCodingError.self) { try coder.decode(Bool.self, from: []) }
  }

  @Test(arguments: ["", "a", "The Valley Wind", "e\u{301}\u{feff}\0 \u{1f600}", "$null"])
  func stringIsItsUTF8(string: String) throws {
    #expect(try coder.encode(string) == Array(string.utf8))
    let decoded = try coder.decode(String.self, from: Array(string.utf8))
    #expect(Array(decoded.utf8) == Array(string.utf8))
  }

  @Test(arguments: [[0xff], [0xc0, 0x80], [0x61, 0xe2, 0x82], [0xed, 0xa0, 0x80]] as [[UInt8]])
  func textThatIsNotUTF8IsAnError(bytes: [UInt8]) {
    expectInvalid(String.self, from: bytes)
    expectInvalid(URL.self, from: bytes)
  }

  @Test func dataIsItself() throws {
    for count in [0, 1, 14, 15, 1000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      #expect(try coder.encode(Data(bytes)) == bytes)
      #expect(try coder.encode(Data([9] + bytes).dropFirst()) == bytes)
      #expect(try coder.decode(Data.self, from: bytes) == Data(bytes))
    }
  }

  @Test func urlIsItsAbsoluteString() throws {
    let url = try #require(URL(string: "https://me:pw@example.com:8080/a%20b?c=d#e"))
    #expect(try coder.encode(url) == Array("https://me:pw@example.com:8080/a%20b?c=d#e".utf8))
    #expect(try coder.decode(URL.self, from: coder.encode(url)) == url)
    let relative = try #require(URL(string: "b", relativeTo: URL(string: "https://x.org/a")))
    #expect(try coder.encode(relative) == Array("https://x.org/b".utf8))
  }

  @Test(arguments: ["", "a b:c", "http://x/a b", "http://["])
  func textThatIsNoURLIsAnError(text: String) { expectInvalid(URL.self, from: Array(text.utf8)) }

  @Test func formFollowsTheStaticType() throws {
    // As `Any`, both are numbers, and an optional is its wrapped value.
    #expect(try coder.encode(Int?.some(1)) != coder.encode(1))
    #expect(try coder.encode(Float(1)) != coder.encode(1))
    #expect(try coder.encode([UInt8]([1, 2])).starts(with: "bplist00".utf8))
  }

  private func expectInvalid(
    _ type: (some Decodable).Type, from bytes: [UInt8],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: ValueCodingError.self, sourceLocation: sourceLocation) {
      try coder.decode(type, from: bytes)
    }
    #expect(error?.problem == .notValid, sourceLocation: sourceLocation)
    #expect(error?.type == "\(type)", sourceLocation: sourceLocation)
  }
}

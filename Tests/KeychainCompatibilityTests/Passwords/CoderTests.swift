import FoundationEssentials
import KeychainCompatibility
import Testing

/// The bytes of values as the older package wrote them; composite values are property lists.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
struct CoderTests {
  private func expect<Value: Codable & Equatable>(_ value: Value, is bytes: [UInt8]) throws {
    #expect(try KeychainEncoder().encode(value) == Data(bytes))
    #expect(try KeychainDecoder().decode(Value.self, from: Data(bytes)) == value)
  }

  @Test func integersAreEightBytesInLittleEndian() throws {
    let values: [(any Codable & Equatable, [UInt8])] = [
      (Int(0), [0, 0, 0, 0, 0, 0, 0, 0]), (Int.max, [255, 255, 255, 255, 255, 255, 255, 127]),
      (Int.min, [0, 0, 0, 0, 0, 0, 0, 128]), (Int8.max, [127, 0, 0, 0, 0, 0, 0, 0]),
      (Int8.min, [128, 255, 255, 255, 255, 255, 255, 255]),
      (Int16.max, [255, 127, 0, 0, 0, 0, 0, 0]),
      (Int16.min, [0, 128, 255, 255, 255, 255, 255, 255]),
      (Int32.max, [255, 255, 255, 127, 0, 0, 0, 0]),
      (Int32.min, [0, 0, 0, 128, 255, 255, 255, 255]),
      (Int64(0x0102_0304_0506_0708), [8, 7, 6, 5, 4, 3, 2, 1]),
      (Int64.min, [0, 0, 0, 0, 0, 0, 0, 128]),
      (UInt.max, [255, 255, 255, 255, 255, 255, 255, 255]),
      (UInt8.max, [255, 0, 0, 0, 0, 0, 0, 0]), (UInt16(0xfedc), [0xdc, 0xfe, 0, 0, 0, 0, 0, 0]),
      (UInt32(0xfedc_ba98), [0x98, 0xba, 0xdc, 0xfe, 0, 0, 0, 0]),
      (UInt64.max, [255, 255, 255, 255, 255, 255, 255, 255]), (true, [1, 0, 0, 0, 0, 0, 0, 0]),
      (false, [0, 0, 0, 0, 0, 0, 0, 0]),
    ]
    for (value, bytes) in values { try expect(value, is: bytes) }
  }

  @Test func textsAndDataAreStoredUnchanged() throws {
    try expect("Hello world", is: Array("Hello world".utf8))
    try expect("\u{1f44b} \u{1f30e}", is: [240, 159, 145, 139, 32, 240, 159, 140, 142])
    try expect(Data([0, 255]), is: [0, 255])
    for text in ["https://google.com/", "../../hello/world/file.txt", "/hello/world/file.txt"] {
      try expect(#require(URL(string: text)), is: Array(text.utf8))
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

  @Test func structureRoundTrips() throws {
    try expect(
      Owner(abc: 15, cde: "x", def: URL(string: "https://google.com/")),
      from: """
        YnBsaXN0MDDTAQIDBAUGU2FiY1NjZGVTZGVmEA9ReNEHCFhyZWxhdGl2ZV8QE2h0dHBzOi8vZ29vZ2xlLmNvbS8IDxM\
        XGx0fIisAAAAAAAABAQAAAAAAAAAJAAAAAAAAAAAAAAAAAAAAQQ==
        """)
    try expect(
      House(),
      from: """
        YnBsaXN0MDDZAQIDBAUGBwgJCgsMDRIVFhcYVWNvdW50VmlzT3BlblZvcGVuZWRVb3duZXJWcGxhY2VzVHNlYWxVc3R\
        hbXBWd2VpZ2h0VXdvcmRzE//////////9CTM/8AAAAAAAANIODxARU2FiY1NjZGUT//////////FjAOnYPN8O0RMUUX\
        gQAUIA/xQAAAAAAAAAAP//////////Iz/gAAAAAAAAohkaUWFRYggbISgvNTxBR05UXV5nbHB0fYSHiYuOn6irrQAAA\
        AAAAAEBAAAAAAAAABsAAAAAAAAAAAAAAAAAAACv
        """)
  }

  @Test func collectionsRoundTrip() throws {
    let numbers = """
      YnBsaXN0MDCnAQIDBAUGBxP//////////xAAEH8QgBIAAQAAEwAAAQAAAAAAE4AAAAAAAAAACBAZGx0fJC0AAAAAAAAB\
      AQAAAAAAAAAIAAAAAAAAAAAAAAAAAAAANg==
      """
    try expect([-1, 0, 127, 128, 65536, 1 << 40, .min], from: numbers)
    try expect([-1, 0, 127, 128, 65536, 1 << 40, .min] as Set, from: numbers)
    let none = "YnBsaXN0MDCgCAAAAAAAAAEBAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAJ"
    try expect([Int](), from: none)
    try expect(Set<String>(), from: none)
    try expect(
      [true, false],
      from: "YnBsaXN0MDCiAQIJCAgLDAAAAAAAAAEBAAAAAAAAAAMAAAAAAAAAAAAAAAAAAAAN")
  }

  @Test func undecodableBytesAreAnError() {
    func expectFailure<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) {
      let error = thrownError { try KeychainDecoder().decode(type, from: Data(bytes)) }
      #expect(error == "generalDecodingFailure")
    }
    expectFailure(Int.self, [1, 2, 3])
    expectFailure(UInt8.self, [0, 1])
    expectFailure(Bool.self, [2])
    expectFailure(String.self, [255])
    expectFailure([Int].self, [])
  }

  private func expect<Value: Codable & Equatable>(_ value: Value, from base64: String) throws {
    let bytes = try #require(Data(base64Encoded: base64))
    #expect(try KeychainDecoder().decode(Value.self, from: bytes) == value)
    let encoded = try KeychainEncoder().encode(value)
    #expect(encoded.starts(with: Data("bplist00".utf8)))
    #expect(try KeychainDecoder().decode(Value.self, from: encoded) == value)
    // The older package reads its items with this decoder.
    #expect(try PropertyListDecoder().decode(Value.self, from: encoded) == value)
  }
}

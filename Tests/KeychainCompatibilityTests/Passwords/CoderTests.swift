import FoundationEssentials
import KeychainCompatibility
import StorageInternals
import TestSupport
import Testing

/// The bytes of values as the older package wrote them.
struct CoderTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case integersOfEachWidthAreEightBytesLowestFirst
    case shorterIntegersAreRead
    case textsAndDataAreThemselves
    case propertyListsAreRead
    case propertyListsAreWrittenForTheOlderPackage
    case whatCannotBeReadIsAnError
    case numbersWithFractionsComeBack
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension CoderTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .integersOfEachWidthAreEightBytesLowestFirst:
      try integersOfEachWidthAreEightBytesLowestFirst()
    case .shorterIntegersAreRead: try shorterIntegersAreRead()
    case .textsAndDataAreThemselves: try textsAndDataAreThemselves()
    case .propertyListsAreRead: try propertyListsAreRead()
    case .propertyListsAreWrittenForTheOlderPackage: try propertyListsAreWrittenForTheOlderPackage()
    case .whatCannotBeReadIsAnError: try whatCannotBeReadIsAnError()
    case .numbersWithFractionsComeBack: try numbersWithFractionsComeBack()
    }
  }

  private struct Person: Codable, Equatable {
    var abc: Int32
    var cde: String
    var def: URL?
  }

  private func expect<Value: Codable & Equatable>(_ value: Value, is bytes: [UInt8]) throws {
    #expect(try KeychainEncoder().encode(value) == Data(bytes))
    #expect(try KeychainDecoder().decode(Value.self, from: Data(bytes)) == value)
  }

  private func integersOfEachWidthAreEightBytesLowestFirst() throws {
    try expect(Int(0), is: [0, 0, 0, 0, 0, 0, 0, 0])
    try expect(Int.max, is: [255, 255, 255, 255, 255, 255, 255, 127])
    try expect(Int.min, is: [0, 0, 0, 0, 0, 0, 0, 128])
    try expect(Int8.max, is: [127, 0, 0, 0, 0, 0, 0, 0])
    try expect(Int8.min, is: [128, 255, 255, 255, 255, 255, 255, 255])
    try expect(Int16.max, is: [255, 127, 0, 0, 0, 0, 0, 0])
    try expect(Int16.min, is: [0, 128, 255, 255, 255, 255, 255, 255])
    try expect(Int32.max, is: [255, 255, 255, 127, 0, 0, 0, 0])
    try expect(Int32.min, is: [0, 0, 0, 128, 255, 255, 255, 255])
    try expect(Int64(0x0102_0304_0506_0708), is: [8, 7, 6, 5, 4, 3, 2, 1])
    try expect(Int64.min, is: [0, 0, 0, 0, 0, 0, 0, 128])
    try expect(UInt.max, is: [255, 255, 255, 255, 255, 255, 255, 255])
    try expect(UInt8.max, is: [255, 0, 0, 0, 0, 0, 0, 0])
    try expect(UInt16.max, is: [255, 255, 0, 0, 0, 0, 0, 0])
    try expect(UInt32.max, is: [255, 255, 255, 255, 0, 0, 0, 0])
    try expect(UInt64.max, is: [255, 255, 255, 255, 255, 255, 255, 255])
    try expect(true, is: [1, 0, 0, 0, 0, 0, 0, 0])
    try expect(false, is: [0, 0, 0, 0, 0, 0, 0, 0])
  }

  private func shorterIntegersAreRead() throws {
    let decoder = KeychainDecoder()
    #expect(try decoder.decode(Int.self, from: Data([0x80])) == -128)
    #expect(try decoder.decode(Int64.self, from: Data([0x00, 0x80])) == -32768)
    #expect(try decoder.decode(Int16.self, from: Data([1, 0, 0, 0])) == 1)
    #expect(try decoder.decode(UInt.self, from: Data([0x80])) == 128)
    #expect(try decoder.decode(Bool.self, from: Data([1])))
  }

  private func textsAndDataAreThemselves() throws {
    try expect("Hello world", is: Array("Hello world".utf8))
    try expect("\u{1f44b} \u{1f30e}", is: [240, 159, 145, 139, 32, 240, 159, 140, 142])
    try expect(Data([0, 255]), is: [0, 255])
    for text in ["https://google.com/", "../../hello/world/file.txt", "/hello/world/file.txt"] {
      let url = try #require(URL(string: text))
      try expect(url, is: Array(text.utf8))
    }
  }

  /// The bytes are from Python's plistlib, whose files have the form of Apple's own.
  private func propertyListsAreRead() throws {
    let decoder = KeychainDecoder()
    let person = try bytes(
      """
      62706c6973743030d2010203045361626353636465100f5c48656c6c6f20776f726c6421080d111517000000\
      0000000101000000000000000500000000000000000000000000000024
      """)
    #expect(
      try decoder.decode(Person.self, from: person) == Person(abc: 15, cde: "Hello world!"))
    let withURL = try bytes(
      """
      62706c6973743030d3010203040506536162635363646553646566100f5178d107085872656c61746976655f\
      101368747470733a2f2f676f6f676c652e636f6d2f080f13171b1d1f222b0000000000000101000000000000\
      000900000000000000000000000000000041
      """)
    #expect(
      try decoder.decode(Person.self, from: withURL)
        == Person(abc: 15, cde: "x", def: URL(string: "https://google.com/")))
    let words = try bytes(
      """
      62706c6973743030a4010203045548656c6c6f524d7955576f726c645121080d13161c000000000000010100\
      000000000000050000000000000000000000000000001e
      """)
    #expect(try decoder.decode([String].self, from: words) == ["Hello", "My", "World", "!"])
    #expect(try decoder.decode(Set<String>.self, from: words) == ["Hello", "My", "World", "!"])
  }

  private func propertyListsAreWrittenForTheOlderPackage() throws {
    let encoder = KeychainEncoder()
    let person = Person(abc: 15, cde: "Hello world!", def: URL(string: "https://google.com/"))
    let words: Set = ["Hello", "My", "World", "!"]
    // The older package reads them with this decoder.
    let decoder = PropertyListDecoder()
    #expect(try decoder.decode(Person.self, from: encoder.encode(person)) == person)
    #expect(try decoder.decode(Set<String>.self, from: encoder.encode(words)) == words)
    #expect(try decoder.decode([Int].self, from: encoder.encode([7])) == [7])
    #expect(try encoder.encode(person).starts(with: Data("bplist00".utf8)))
  }

  private func whatCannotBeReadIsAnError() throws {
    let decoder = KeychainDecoder()
    expectFailure {
      _ = try decoder.decode(Int.self, from: Data([1, 2, 3]))
    }
    expectFailure {
      _ = try decoder.decode(UInt8.self, from: Data([0, 1]))
    }
    expectFailure { _ = try decoder.decode(Bool.self, from: Data([2])) }
    expectFailure {
      _ = try decoder.decode(String.self, from: Data([255]))
    }
    expectFailure { _ = try decoder.decode([Int].self, from: Data()) }
  }

  private func numbersWithFractionsComeBack() throws {
    let data = try KeychainEncoder().encode(0.1)
    #expect(try KeychainDecoder().decode(Double.self, from: data) == 0.1)
  }

  private func expectFailure(_ body: () throws -> Void) {
    do {
      try body()
      Issue.record("It was read.")
    } catch {
      guard case KeychainError.generalDecodingFailure = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  private func bytes(_ hexadecimal: String) throws -> Data {
    let digits = Array(hexadecimal.utf8)
    return Data(
      try stride(from: 0, to: digits.count, by: 2).map { place in
        try #require(UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16))
      })
  }
}

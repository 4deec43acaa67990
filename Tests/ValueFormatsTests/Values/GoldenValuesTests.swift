import FoundationEssentials
import ValueFormats
import Testing

/// The bytes of values from an earlier version, which must always remain decodable.
///
/// While the form may still change, `LOCKET_GOLDEN=write swift test --filter GoldenValues` rewrites
/// them, a line for each value: its name and its bytes in Base64.
struct GoldenValuesTests {
  private enum Shape: Codable, Equatable, Sendable { case circle(radius: Int), none }
  private enum Size: String, Codable, Sendable { case small }
  private struct Login: Codable, Equatable, Sendable {
    var name: String
    var ports: [Int]
    var since: Date?
    var flags: [String: Bool]
    var key: Data
  }

  /// A named value: its bytes, and whether bytes decode to it.
  private struct Case: Sendable {
    let name: String
    let encode: @Sendable () throws -> [UInt8]
    let isDecoded: @Sendable ([UInt8]) throws -> Bool

    init<Value: Codable & Equatable & Sendable>(_ name: String, _ value: Value) {
      self.name = name
      encode = { try ValueCoder().encode(value) }
      isDecoded = { try ValueCoder().decode(Value.self, from: $0) == value }
    }
  }

  /// Values with the same bytes each time.
  private static let fixed = [
    Case("text", "Grüße 🗝️"), Case("empty", ""), Case("data", Data([1, 2, 255])),
    Case("url", URL(string: "https://example.com/a?b=c")!), Case("true", true),
    Case("false", false),
    Case("int", -42), Case("int8", Int8.min), Case("uint64", UInt64.max), Case("double", 0.8),
    Case("date", Date(timeIntervalSinceReferenceDate: 817_032_628.4710938)),
    Case("optional", Int?.some(1)), Case("nil", Int?.none), Case("list", [1, 2, 3]),
    Case("list of one", ["one"]), Case("no list", [String]()),
    Case("optionals", [1, nil] as [Int?]),
    Case("size", Size.small),
  ]

  private static let others = [
    Case("shape", Shape.circle(radius: 1)), Case("no shape", Shape.none), Case("set", Set([3])),
    Case("dictionary", ["b": 1, "a": 2]),
    Case(
      "login",
      Login(
        name: "peter", ports: [80, 443], since: Date(timeIntervalSince1970: 0),
        flags: ["on": true, "off": false], key: Data(0...255))),
  ]

  private static let isWriting = ProcessInfo.processInfo.environment["LOCKET_GOLDEN"] == "write"

  private func golden() throws -> [String: [UInt8]] {
    if Self.isWriting {
      let lines = try (Self.fixed + Self.others).map { value in
        "\(value.name)\t\(Data(try value.encode()).base64EncodedString())\n"
      }
      try Data(lines.joined().utf8).write(to: Fixture.url("golden-values"))
    }
    var found: [String: [UInt8]] = [:]
    for line in try Fixture.text("golden-values").split(separator: "\n") {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      found[String(parts[0])] = Array(try #require(Data(base64Encoded: String(parts[1]))))
    }
    return found
  }

  @Test func goldenValuesAreDecodedAndEncoded() throws {
    let golden = try golden()
    #expect(golden.count == Self.fixed.count + Self.others.count)
    for value in Self.fixed + Self.others {
      let bytes = try #require(golden[value.name], "\(value.name)")
      #expect(try value.isDecoded(bytes), "\(value.name)")
    }
    for value in Self.fixed { #expect(try value.encode() == golden[value.name], "\(value.name)") }
  }
}

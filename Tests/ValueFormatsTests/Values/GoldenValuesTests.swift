import FoundationEssentials
import TestSupport
import Testing
import ValueFormats

/// The bytes of values from an earlier version, which must always remain decodable.
///
/// While the form may still change, `LOCKET_GOLDEN=write swift test --filter GoldenValues` rewrites
/// them, a line for each value: its name and its bytes in Base64.
struct GoldenValuesTests {
  private typealias Golden = Codable & Equatable & Sendable
  private enum Shape: Codable, Equatable, Sendable { case circle(radius: Int), none }
  private enum Size: String, Codable, Sendable { case small }
  private struct Login: Codable, Equatable, Sendable {
    var name: String
    var ports: [Int]
    var since: Date?
    var flags: [String: Bool]
    var key: Data
  }

  private static let values: KeyValuePairs<String, any Golden> = [
    "text": "Grüße 🗝️", "empty": "", "data": Data([1, 2, 255]),
    "url": URL(string: "https://example.com/a?b=c")!, "true": true, "false": false, "int": -42,
    "int8": Int8.min, "uint64": UInt64.max, "double": 0.8,
    "date": Date(timeIntervalSinceReferenceDate: 817_032_628.4710938), "optional": Int?.some(1),
    "nil": Int?.none, "list": [1, 2, 3], "list of one": ["one"], "no list": [String](),
    "optionals": [1, nil] as [Int?], "size": Size.small, "shape": Shape.circle(radius: 1),
    "no shape": Shape.none, "set": Set([3]), "dictionary": ["b": 1, "a": 2],
    "login": Login(
      name: "peter", ports: [80, 443], since: Date(timeIntervalSince1970: 0),
      flags: ["on": true, "off": false], key: Data(0...255)),
  ]

  private static let isWriting = ProcessInfo.processInfo.environment["LOCKET_GOLDEN"] == "write"

  private func golden() throws -> [String: [UInt8]] {
    if Self.isWriting {
      let lines = try Self.values.map { name, value in
        "\(name)\t\(Data(try ValueCoder().encode(value)).base64EncodedString())\n"
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

  private func isDecoded<Value: Golden>(_ value: Value, from bytes: [UInt8]) throws -> Bool {
    try ValueCoder().decode(Value.self, from: bytes) == value
  }

  @Test func goldenValuesAreDecodedAndEncoded() throws {
    let golden = try golden()
    #expect(golden.count == Self.values.count)
    for (name, value) in Self.values {
      let bytes = try #require(golden[name], "\(name)")
      #expect(try isDecoded(value, from: bytes), "\(name)")
      // Foundation's encoder, which wrote the bytes, keeps a structure's members in their order.
      if name != "login" { #expect(try ValueCoder().encode(value) == bytes, "\(name)") }
    }
  }
}

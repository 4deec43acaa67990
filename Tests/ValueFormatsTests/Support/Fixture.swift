import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

@testable import ValueFormats

// Rows of kinds, and bytes in hexadecimal.
extension Fixture {
  static func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url(name))) }

  /// The rest of the lines that begin with one of these kinds.
  static func rows(_ kinds: String..., of name: String) throws -> [[String]] {
    let all = try rows(name, as: [String].self)
    #expect(Set(all.map { $0[0] }).isSubset(of: ["integer", "no integer", "date", "no date"]))
    let rows = all.filter { kinds.contains($0[0]) }
    return try #require(rows.isEmpty ? nil : rows, "\(name)").map { Array($0.dropFirst()) }
  }

  /// The bytes of a value: those of a text, or of a property list of objects in hexadecimal.
  static func stored(_ text: String, in format: KeyValueFormat) throws -> [UInt8] {
    if format != .binary { return Array(text.utf8) }
    let objects = try objects(text)
    let offsetSize = objects.flatMap(\.self).count < 248 ? 1 : 2
    return BinaryPropertyListFile(objects: objects, offsetSize: offsetSize).bytes
  }

  static func bytes(hexadecimal text: some StringProtocol) throws -> [UInt8] {
    let digits = try text.map { try #require($0.hexDigitValue) }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }

  static func objects(_ text: String) throws -> [[UInt8]] {
    try text.split(separator: " ").map { try bytes(hexadecimal: $0) }
  }
}

/// A text that a format refuses, and the error: a line of a fixture.
struct Refusal: Decodable {
  let kind: String
  let text: String
  let reason: String
  let offset: Int
  /// The offset of the first of two equal keys.
  let firstOffset: Int?

  var error: FormatError {
    FormatError(reason: reason, offset: offset, firstOffset: firstOffset)
  }

  init(from decoder: any Decoder) throws {
    var row = try decoder.unkeyedContainer()
    kind = try row.decode(String.self)
    text = try row.decode(String.self)
    reason = try row.decode(String.self)
    offset = try row.decode(Int.self)
    firstOffset = try row.decodeIfPresent(Int.self)
  }

  /// Returns all refusals of a kind in a fixture.
  static func all(_ kind: String, in name: String) throws -> [Refusal] {
    let refusals = try Fixture.rows(name, as: Refusal.self).filter { $0.kind == kind }
    return try #require(refusals.isEmpty ? nil : refusals, "\(name) has no \(kind)")
  }
}

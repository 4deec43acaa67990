import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// The stored forms of values, which fixtures list: a text, or objects in hexadecimal.
struct FormatValueTests {
  private func rows(_ kinds: String..., in format: KeyValueFormat) throws -> [[String]] {
    let all = try Fixture.rows("\(format)-values", as: [String].self)
    #expect(Set(all.map { $0[0] }).isSubset(of: ["decoded", "encoded", "both", "kept"]))
    let rows = all.filter { kinds.contains($0[0]) }
    return try #require(rows.isEmpty ? nil : rows)
  }

  @Test(arguments: KeyValueFormat.allCases)
  func storedFormIsDecoded(_ format: KeyValueFormat) throws {
    for row in try rows("decoded", "both", in: format) {
      // A fragment is a slice of a file, with a non-zero start index.
      let bytes = try Fixture.stored(row[1], in: format)
      let file = Array("before".utf8) + bytes + [0]
      let tree = Result { try format.coding.decode(file[6..<file.count - 1]) }
      #expect(try exact(tree.get()) == row[2], "\(row)")
      if row[0] == "both" { #expect(try format.coding.encode(tree.get()) == bytes, "\(row)") }
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func valueIsEncoded(_ format: KeyValueFormat) throws {
    for row in try rows("encoded", in: format) {
      let bytes = try Fixture.stored(row[1], in: format)
      #expect(try format.coding.encode(ValueTree(named: row[2])) == bytes, "\(row)")
    }
  }

  /// Objects that other programs may write, but that no Swift value encodes to.
  @Test func objectsOfOtherProgramsAreKept() throws {
    let format = BinaryPropertyListFormat()
    for row in try rows("kept", in: .binary) {
      let objects = try Fixture.objects(row[1])
      var file = BinaryPropertyListFile(objects: [[0xD1, 1, 2], [0x51, 0x61]] + objects)
      let parsed = try format.parse(file.bytes)
      // The fragment is the value alone; its references are relative to it.
      let fragment = BinaryPropertyListFile(
        objects: objects.map { object in
          let references = object[0] >= 0xA0 && object.last! > 0 ? object.count - 1 : 0
          return object.dropLast(references) + object.suffix(references).map { $0 - 2 }
        }, offsetSize: 1)
      #expect(parsed.entries.map { Array($0.value) } == [fragment.bytes], "\(row)")
      try format.requireSameAfterJoining(parsed, "\(row)")
      file.offsetSize = 1
      #expect(format.join([parsed.entries[...]], parsed.surroundings) == file.bytes, "\(row)")
    }
  }

  @Test(arguments: [KeyValueFormat.xml, .binary])
  func fileOfFoundationIsRead(_ format: KeyValueFormat) throws {
    let file = try Fixture.bytes("foundation-\(format).plist")
    let parsed = try format.coding.parse(file)
    let values = try parsed.entries.map {
      [$0.key.string, try exact(format.coding.decode($0.value))]
    }
    let expected = try Fixture.rows("foundation-\(format)-values", as: [String].self)
    #expect(Set(values) == Set(expected) && values.count == expected.count)
    try format.coding.requireSameAfterJoining(parsed)
    if format == .xml {
      #expect(format.coding.join([parsed.entries[...]], parsed.surroundings) == file)
    }
  }
}

extension ValueTree {
  /// The value that a fixture names, such as `real 0.1` or `data 00ff`.
  fileprivate init(named name: String) throws {
    let words = name.split(separator: " ", omittingEmptySubsequences: false)
    switch words[0] {
    case "text": self = .number(.text(String(words[1])))
    case "data": self = .data(Data(try Fixture.bytes(hexadecimal: words[1])))
    case "integer": self = .number(.integer(try #require(Int128(words[1]))))
    case "float": self = .number(.float(try #require(Float(words[1]))))
    case "real": self = .number(.real(try #require(Double(words[1]))))
    case "date":
      self = .date(Date(timeIntervalSinceReferenceDate: try #require(Double(words[1]))))
    default: throw FormatError(reason: "no value is named \(name)", offset: 0)
    }
  }
}

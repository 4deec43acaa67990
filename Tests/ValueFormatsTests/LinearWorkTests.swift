import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Operations on files of many parts: on the first ones of each list, and on all in a campaign.
struct LinearWorkTests {
  /// Returns a file with as many parts.
  private typealias Input = @Sendable (Int) -> [UInt8]

  /// Returns the texts of a format in the fixture: start, part and end, where `#` in a part is the
  /// index of the part.
  private static func texts(_ format: String) throws -> [Input] {
    try Fixture.rows("long-files", as: [String].self).filter { $0[0] == format }.map {
      row -> Input in
      let part = row[3].split(separator: "#", omittingEmptySubsequences: false)
      return { count in
        let parts = (0..<count).map { part.joined(separator: "\($0)") }
        return Array((row[2] + parts.joined() + row[4]).utf8)
      }
    }
  }

  /// Returns the objects of a file whose only key has the first object as its value.
  private static func list(
    _ objects: @escaping @Sendable (Int) -> [[UInt8]]
  ) -> Input {
    { count in
      let top = [0xD1] + reference(1) + reference(2)
      return BinaryPropertyListFile(
        objects: [top, [0x51, 0x61]] + objects(count), offsetSize: 4, referenceSize: 4
      ).bytes
    }
  }

  private static func reference(_ object: Int) -> [UInt8] {
    BinaryPropertyListFile.number(UInt64(object), size: 4)
  }

  private static func container(_ marker: UInt8, _ count: Int, of object: Int) -> [UInt8] {
    [marker | 0x0F, 0x12] + reference(count)
      + (0..<(marker == 0xD0 ? 2 : 1) * count).flatMap { _ in reference(object) }
  }

  private static let binary: KeyValuePairs<String, Input> = [
    "objects in one another": list { count in
      // Each has all the following ones as its content.
      (0..<count).map { number in [0x4F, 0x12] + reference(6 * (count - number - 1)) }
    },
    "shared": list { [container(0xA0, $0, of: 3), [0x09]] },
    "equal keys": list { [container(0xD0, $0, of: 3), [0x51, 0x61]] },
    "nested": list { count in (0..<count).map { [0xA1] + reference($0 + 3) } + [[0x09]] },
    "cycle": list { count in (0..<count).map { [0xA1] + reference($0 == count - 1 ? 2 : $0 + 3) } },
    "twice the next": list { count in
      (0..<count).map { [0xA2] + reference($0 + 3) + reference($0 + 3) } + [[0x09]]
    },
    "arrays of one array": list { count in
      [container(0xA0, count, of: 3), container(0xA0, count, of: 4), [0x09]]
    },
    "objects that are missed": list { count in (0..<count).map { _ in [0x09] } },
    "text": list { [[0x5F, 0x12] + reference($0) + [UInt8](repeating: 0x61, count: $0)] },
    "wide text": list {
      [[0x6F, 0x12] + reference($0) + [UInt8](repeating: 0x21, count: 2 * $0)]
    },
  ]

  private func expectLinear(_ format: some StoredFormat, _ files: [Input]) {
    for file in files.prefix(Campaign.size(sample: 3, full: files.count)) {
      TestSupport.expectLinear(file) { file in
        switch format.parsed(file) {
        case .success(let content):
          for entry in content.entries { _ = format.decoded(entry.value) }
          _ = format.join(content.entries, content.surroundings)
        case .failure(let error): _ = TextPosition(of: error.offset, in: file)
        }
      }
    }
  }

  @Test func workOnJSONIsLinear() throws { expectLinear(JSONFormat(), try Self.texts("json")) }
  @Test func workOnXMLIsLinear() throws {
    expectLinear(XMLPropertyListFormat(), try Self.texts("xml"))
  }
  @Test func workOnBinaryListsIsLinear() {
    expectLinear(BinaryPropertyListFormat(), Self.binary.map(\.value))
  }
}

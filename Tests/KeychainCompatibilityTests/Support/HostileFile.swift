import CLibrary
import FoundationEssentials
import StorageInternals

/// Files that are no property list of `UserDefaults`, although some look like one.
enum HostileFile: CaseIterable {
  case empty, text, json, other, truncated, truncatedBinary, cyclic, keyedByNumber, shared, deep
  case huge

  /// Returns the bytes of some files of this kind.
  func files() throws -> [[UInt8]] {
    switch self {
    case .empty: return [[]]
    case .text: return [Array("volume = 0.8\n".utf8), [0, 255, 254, 0], Array("bplist".utf8)]
    case .json: return [Array(#"{"volume": 0.8}"#.utf8)]
    case .other:
      return [try Self.list([1, 2], .xml), try Self.list([1, 2], .binary)]
    case .truncated:
      let whole = try Self.list(["numbers": [1, 2], "others": [3]], .xml)
      return stride(from: 1, to: whole.count - 10, by: 7).map { Array(whole[..<$0]) }
    case .truncatedBinary:
      let whole = try Self.list(["numbers": [1, 2], "others": [3]], .binary)
      return (6..<whole.count).map { Array(whole[..<$0]) }
    case .cyclic: return [Self.binary([[0xD1, 1, 2], [0x51, 0x61], Self.cycle])]
    case .keyedByNumber: return [Self.binary([[0xD1, 1, 1], [0x10, 5]])]
    case .shared:
      // Each array has the next one twice, so that 60 objects expand to a billion billions.
      let arrays = (2..<60).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] }
      return [Self.binary([[0xD1, 1, 2], [0x51, 0x61]] + arrays + [[0x09]])]
    case .deep:
      let levels = 100_000
      let nested = Array(repeating: "<array>", count: levels).joined()
      return [Array("<plist version=\"1.0\"><dict><key>a</key>\(nested)".utf8)]
    case .huge: return [Array("<plist version=\"1.0\"><dict>".utf8)]
    }
  }

  func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
    // The extension is sparse and takes no disk space.
    if self == .huge { try FileSystem().open(path, O_RDWR).truncate(to: 65 << 20) }
  }

  /// An array of one element: the third object of the list, which must be this array.
  private static let cycle: [UInt8] = [0xA1, 2]

  /// A property list whose only object is an array that contains itself.
  static let cyclicList = binary([[0xA1, 0]])

  /// Property lists of 100,000 nested arrays, in XML and binary.
  static let deepLists = [
    Array(
      """
      <?xml version="1.0"?><plist version="1.0">\(String(repeating: "<array>", count: 100_000))\
      \(String(repeating: "</array>", count: 100_000))</plist>
      """.utf8),
    binary((1...100_000).map { [0xA1] + number($0, size: 4) } + [[0x09]], sizes: (4, 4)),
  ]

  static func list(
    _ value: some Encodable, _ format: PropertyListDecoder.PropertyListFormat
  ) throws -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    return Array(try encoder.encode(value))
  }

  /// Returns a binary property list of objects that contain their references.
  private static func binary(
    _ objects: [[UInt8]], sizes: (offset: Int, reference: Int) = (2, 1)
  ) -> [UInt8] {
    var file = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += number(file.count, size: sizes.offset)
      file += object
    }
    let end = file.count
    let fixed = [0, 0, 0, 0, 0, 0, UInt8(sizes.offset), UInt8(sizes.reference)]
    return file + offsets + fixed + number(objects.count, size: 8) + number(0, size: 8)
      + number(end, size: 8)
  }

  private static func number(_ number: Int, size: Int) -> [UInt8] {
    stride(from: (size - 1) * 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport

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
    case .other: return try [ListFormat.xml, .binary].map { Array(try encoded([1, 2], $0)) }
    case .truncated:
      let whole = Array(try encoded(["numbers": [1, 2], "others": [3]], .xml))
      return stride(from: 1, to: whole.count - 10, by: 7).map { Array(whole[..<$0]) }
    case .truncatedBinary:
      let whole = Array(try encoded(["numbers": [1, 2], "others": [3]]))
      return (6..<whole.count).map { Array(whole[..<$0]) }
    case .cyclic: return [BinaryPropertyListFile.of([0xA1, 2]).bytes]
    case .keyedByNumber:
      return [BinaryPropertyListFile(objects: [[0xD1, 1, 1], [0x10, 5]]).bytes]
    case .shared:
      // Each array has the next one twice, so that 60 objects expand to a billion billions.
      let arrays = (2..<60).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] }
      let objects: [[UInt8]] = [[0xD1, 1, 2], [0x51, 0x61]] + arrays + [[0x09]]
      return [BinaryPropertyListFile(objects: objects).bytes]
    case .deep:
      let nested = Array(repeating: "<array>", count: 100_000).joined()
      return [Array("<plist version=\"1.0\"><dict><key>a</key>\(nested)".utf8)]
    case .huge: return [Array("<plist version=\"1.0\"><dict>".utf8)]
    }
  }

  func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
    // The extension is sparse and takes no disk space.
    if self == .huge { try FileSystem().open(path, O_RDWR).truncate(to: 65 << 20) }
  }

  /// Property lists: an array with itself, one cut off, 100,000 nested ones, in XML and binary.
  static let lists: [[UInt8]] = [
    BinaryPropertyListFile(objects: [[0xA1, 0]]).bytes,
    Array(BinaryPropertyListFile(objects: [[0xA1, 1], [0x10, 1]]).bytes.dropLast()),
    Array(
      """
      <?xml version="1.0"?><plist version="1.0">\(String(repeating: "<array>", count: 100_000))\
      \(String(repeating: "</array>", count: 100_000))</plist>
      """.utf8),
    BinaryPropertyListFile.nested(100_000).bytes,
  ]
}

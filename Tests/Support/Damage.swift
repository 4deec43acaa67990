/// Hostile files: changed, truncated or combined from several, the same for the same seed.
///
/// Half of the changes are of bytes, half of objects of a binary property list or words of a text.
package struct Damage {
  static let numbers: [[UInt8]] = [
    [0x00], [0xff], [0x7f], [0x80], Array(repeating: 0, count: 4), Array(repeating: 0xff, count: 4),
    Array(repeating: 0xff, count: 8), [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0x80, 0, 0, 0, 0, 0, 0, 0], Array("99999999999999999999".utf8), Array("-1".utf8),
  ]
  private static let marks = Array("<>&;-!?/[]{}'\"\\:,#=+.eu0 \r\n\0".utf8)

  var generator: SeededGenerator
  private let pieces: [[UInt8]]

  /// Creates a generator that also inserts pieces of these files.
  package init(seed: UInt64, pieces: [[UInt8]] = []) {
    generator = SeededGenerator(seed: seed)
    self.pieces = pieces
  }

  /// Returns the file with one to four changes.
  package mutating func damaged(_ file: [UInt8]) -> [UInt8] {
    var bytes = file
    for _ in 0..<number(1...4) {
      if Bool.random(using: &generator) {
        change(&bytes)
      } else if let list = BinaryPropertyListFile(bytes) {
        bytes = forged(list)
      } else {
        bytes = rearranged(bytes)
      }
    }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    if bytes.isEmpty { return }
    let place = number(0...(bytes.count - 1))
    switch number(0...8) {
    case 0, 1: bytes[place] ^= 1 << UInt8(number(0...7))
    case 2: bytes[place] = UInt8(number(0...255))
    case 3: bytes.removeLast(bytes.count - place)
    case 4: bytes.removeSubrange(range(in: bytes))
    case 5: bytes.insert(contentsOf: bytes[range(in: bytes)], at: place)
    case 6:
      let piece = pieces.randomElement(using: &generator) ?? bytes
      bytes.insert(contentsOf: piece[range(in: piece)], at: place)
    case 7: bytes.insert(one(of: Self.marks), at: place)
    default:
      let number = one(of: Self.numbers)
      bytes.replaceSubrange(place..<min(place + number.count, bytes.count), with: number)
    }
  }

  private mutating func range(in bytes: [UInt8]) -> Range<Int> {
    let start = number(0...bytes.count)
    return start..<min(start + number(0...64), bytes.count)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[number(0...(elements.count - 1))]
  }
}

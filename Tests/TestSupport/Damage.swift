/// Files as a stranger may have them: changed, cut off, put together of several, the same each time.
package struct Damage {
  private static let numbers: [[UInt8]] = [
    [0x00], [0xff], [0x7f], [0x80], Array(repeating: 0, count: 4), Array(repeating: 0xff, count: 4),
    Array(repeating: 0xff, count: 8), [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0x80, 0, 0, 0, 0, 0, 0, 0], Array("99999999999999999999".utf8), Array("-1".utf8),
  ]

  private var generator: SeededGenerator
  private let pieces: [[UInt8]]

  /// Puts pieces of these files into others.
  package init(seed: UInt64, pieces: [[UInt8]]) {
    generator = SeededGenerator(seed: seed)
    self.pieces = pieces
  }

  /// The file with one to four changes.
  package mutating func damaged(_ file: [UInt8]) -> [UInt8] {
    var bytes = file
    for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&bytes) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    if bytes.isEmpty { return }
    let place = Int.random(in: bytes.indices, using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 2: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
    case 3: bytes.removeLast(bytes.count - place)
    case 4: bytes.removeSubrange(range(in: bytes))
    case 5: bytes.insert(contentsOf: bytes[range(in: bytes)], at: place)
    case 6:
      let piece = pieces.randomElement(using: &generator) ?? bytes
      bytes.insert(contentsOf: piece[range(in: piece)], at: place)
    default:
      let number = Self.numbers.randomElement(using: &generator) ?? []
      bytes.replaceSubrange(place..<min(place + number.count, bytes.count), with: number)
    }
  }

  private mutating func range(in bytes: [UInt8]) -> Range<Int> {
    let start = Int.random(in: 0...bytes.count, using: &generator)
    return start..<min(start + Int.random(in: 0...64, using: &generator), bytes.count)
  }
}

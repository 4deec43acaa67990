import TestSupport

@testable import SecretStorage

// The forgeries of a file of records.
extension ForgedFile {
  /// Returns nested frames with wrong digests: quadratic work if each digest is checked.
  static func nestedFrames(count: Int) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: 32)
    return (0..<count).reduce(into: []) { bytes, number in
      bytes += frame(of: [], claiming: UInt32((count - number - 1) * frameCount), digest: zeros)
    }
  }

  mutating func insertBrokenFrame(at place: Int, using generator: inout SeededGenerator) {
    let payload = records.randomElement(using: &generator)?.encoded ?? []
    var bytes = Self.frame(of: payload)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      let index = Int.random(in: 0..<Self.frameCount, using: &generator)
      bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1:
      let claims: [UInt32] = [0, 1, .max, .max - 44, 1 << 31, UInt32(payload.count + 1)]
      bytes = Self.frame(
        of: payload, claiming: claims.randomElement(using: &generator),
        digest: Self.digest(payload))
    case 2: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
    // A sound frame inside a broken one.
    default: bytes = Self.frame(of: bytes, digest: Self.digest([]))
    }
    pieces.insert(.bytes(bytes), at: place)
  }

  /// Inserts zeros, as of a reserve, or replaces as many bytes of a record with them.
  mutating func insertZeros(at place: Int, using generator: inout SeededGenerator) {
    let zeros = [UInt8](repeating: 0, count: generator.one(of: [1, 44, 600, 5000, 70_000]))
    guard place < pieces.count, case .record(let record) = pieces[place],
      Bool.random(using: &generator)
    else { return pieces.insert(.bytes(zeros), at: place) }
    let bytes = Self.frame(of: record.encoded)
    let start = generator.one(of: [0, 12, 44, 200])
    pieces[place] = .bytes(Array(bytes.prefix(start) + zeros.prefix(max(0, bytes.count - start))))
  }

  mutating func append(_ forgery: TableForgery, from table: [Field]) throws {
    let last = records.last
    let record = try forgery.record(
      from: table, sequence: (last?[number: "sequence"] ?? 0) &+ 1,
      start: records.first?[number: "sequence"] ?? 1,
      predecessor: last.map { Self.digest($0.encoded) })
    pieces.append(.record(record))
  }

  /// Adds many slots that no passphrase opens to the key table at a place, or to the last one.
  mutating func addSlots(_ count: Int, cost logN: UInt8, to place: Int) throws {
    let tables = pieces.indices.filter { pieces[$0].record?[number: "kind"] == 1 }
    guard let index = tables.contains(place) ? place : tables.last,
      case .record(var record) = pieces[index]
    else { return }
    let slot = try ForgerKeys().slot(
      cost: (logN, 8, 1), salt: 0xF2, in: [UInt8](repeating: 0, count: 16))
    let slots = Array(repeating: slot, count: count)
    record["table"].parts["sections"].parts.insert(contentsOf: slots, at: 0)
    pieces[index] = .record(record)
  }
}

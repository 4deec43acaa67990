import TestSupport

enum Mutation: String, CaseIterable, Sendable {
  // Any cleartext field of a record.
  case number, bytes, length, elements
  case sequence, start, predecessor
  case header, frame, junk, zeros, nestedFrames, cut
  case drop, duplicate, reorder
  // Records of other files, and those files as a whole.
  case splicedVault, splicedBranch, splicedOlder, otherVault, otherBranch, olderFile
  case forgedTable, manySlots
  // Sealed fields in a forger's vault.
  case sealedNumber, sealedBytes, sealedLength, sealedElements, dates, revisions

  /// Whether it changes sealed fields, which takes all keys.
  var isOfSealed: Bool {
    switch self {
    case .sealedNumber, .sealedBytes, .sealedLength, .sealedElements, .dates, .revisions: true
    default: false
    }
  }

  func fits(_ field: Field) -> Bool {
    switch self {
    case .number, .sealedNumber:
      if case .number = field.content {
        !["sequence", "start", "created", "modified"].contains(field.name)
          && !field.name.hasSuffix("revision")
      } else {
        false
      }
    case .sequence, .start: field.name == rawValue
    case .dates: field.name == "created" || field.name == "modified"
    case .revisions: field.name.hasSuffix("revision")
    case .bytes, .sealedBytes: if case .bytes = field.content { true } else { false }
    case .predecessor: field.name == "predecessor"
    case .length, .sealedLength: if case .counted = field.content { true } else { false }
    case .elements, .sealedElements:
      if case .list(let parts) = field.content { parts.count > 1 } else { false }
    default: false
    }
  }

  /// Changes a field that passed `fits`.
  func change(_ field: inout Field, using generator: inout SeededGenerator) {
    switch field.content {
    case .number(let value, let width):
      field.content = .number(Self.number(besides: value, width, using: &generator), width: width)
    case .bytes(let bytes): field.content = .bytes(Self.changed(bytes, using: &generator))
    case .counted(let fields, _):
      let count = UInt64(fields.encoded.count)
      let claim = UInt32(truncatingIfNeeded: Self.number(besides: count, 4, using: &generator))
      field.content = .counted(fields, claim: claim)
    case .list(let parts): field.content = .list(Self.rearranged(parts, using: &generator))
    }
  }

  /// Returns another number, mostly at the limit of some type.
  private static func number(
    besides value: UInt64, _ width: Int, using generator: inout SeededGenerator
  ) -> UInt64 {
    let mask = width == 8 ? UInt64.max : (1 << UInt64(8 * width)) - 1
    let half = mask / 2
    let numbers = [
      0, 1, 2, mask, mask - 1, half, half + 1, half - 1, value &+ 1, value &- 1, value ^ 0x80,
      UInt64(UInt32.max), UInt64(Int32.max), 1 << 31, 1 << 32, 1 << 53, generator.next(),
    ]
    return generator.one(of: numbers) & mask
  }

  private static func changed(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: bytes = []
    case 1: bytes.removeLast(min(bytes.count, Int.random(in: 1...32, using: &generator)))
    case 2: bytes += [UInt8](repeating: 0, count: Int.random(in: 1...64, using: &generator))
    case 3: bytes = bytes.map { _ in 0xFF }
    case 4: bytes = bytes.map { _ in 0 }
    // Control sequences and invalid UTF-8.
    case 5: bytes = Array("\u{1B}]0;title\u{7}\r\n\u{9B}2J\u{202E}".utf8) + [0xFF]
    default:
      if bytes.isEmpty { return [0] }
      let place = Int.random(in: bytes.indices, using: &generator)
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    }
    return bytes
  }

  private static func rearranged(
    _ parts: [Field], using generator: inout SeededGenerator
  ) -> [Field] {
    var parts = parts
    let place = Int.random(in: parts.indices, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: parts.remove(at: place)
    case 1: parts.insert(parts[place], at: Int.random(in: 0...parts.count, using: &generator))
    case 2: parts.swapAt(place, Int.random(in: parts.indices, using: &generator))
    case 3: parts.reverse()
    default: parts += Array(repeating: parts[place], count: 20)
    }
    return parts
  }
}

extension SeededGenerator {
  /// Returns a random element of an array that has some.
  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &self)]
  }
}

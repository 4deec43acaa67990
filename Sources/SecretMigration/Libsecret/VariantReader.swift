/// A reader for serialized GVariant values, limited to the types of keyrings.
///
/// It follows the GVariant specification, in little-endian order: members are aligned relative to
/// the beginning, and framing offsets at the end of a container locate members of variable size.
/// Invalid data, which the specification replaces by default values, is an error here.
struct VariantReader<Bytes: RandomAccessCollection<UInt8>> where Bytes.Index == Int {
  let bytes: Bytes

  init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// All of the bytes.
  var whole: Range<Int> { 0..<bytes.count }

  /// Reads an unsigned number.
  func number(
    at offset: Int, size: Int, in range: Range<Int>
  ) throws(MalformedVariant) -> UInt64 {
    guard offset >= range.lowerBound, offset <= range.upperBound - size else {
      throw MalformedVariant()
    }
    var value: UInt64 = 0
    for index in (0..<size).reversed() {
      value = value << 8 | UInt64(bytes[bytes.startIndex + offset + index])
    }
    return value
  }

  /// Returns a range of the container; throws if it is invalid.
  func range(
    _ start: Int, _ end: Int, in container: Range<Int>
  ) throws(MalformedVariant) -> Range<Int> {
    guard start >= container.lowerBound, start <= end, end <= container.upperBound else {
      throw MalformedVariant()
    }
    return start..<end
  }

  /// Returns the ends of a tuple's members of variable size, except the last, and the range of all.
  func members(
    _ count: Int, of tuple: Range<Int>
  ) throws(MalformedVariant) -> (ends: [Int], body: Range<Int>) {
    let size = Self.offsetSize(of: tuple)
    let body = try range(tuple.lowerBound, tuple.upperBound - count * size, in: tuple)
    var ends: [Int] = []
    for index in 1...count {
      ends.append(try end(at: tuple.upperBound - index * size, size, of: tuple, in: body))
    }
    return (ends, body)
  }

  /// Returns the elements of an array whose elements have a variable size and no alignment.
  func elements(of array: Range<Int>) throws(MalformedVariant) -> [Range<Int>] {
    if array.isEmpty { return [] }
    let size = Self.offsetSize(of: array)
    let last = try end(at: array.upperBound - size, size, of: array, in: array)
    let table = try range(last, array.upperBound, in: array)
    guard table.count % size == 0, !table.isEmpty else { throw MalformedVariant() }
    var elements: [Range<Int>] = []
    var start = array.lowerBound
    for place in stride(from: table.lowerBound, to: table.upperBound, by: size) {
      let end = try end(at: place, size, of: array, in: array)
      elements.append(try range(start, end, in: array.lowerBound..<last))
      start = end
    }
    return elements
  }

  private func end(
    at place: Int, _ size: Int, of container: Range<Int>, in body: Range<Int>
  ) throws(MalformedVariant) -> Int {
    let offset = try number(at: place, size: size, in: container)
    guard offset <= UInt64(container.count) else { throw MalformedVariant() }
    let end = container.lowerBound + Int(offset)
    guard end <= body.upperBound else { throw MalformedVariant() }
    return end
  }

  /// Returns the size in bytes of a container's framing offsets.
  private static func offsetSize(of container: Range<Int>) -> Int {
    switch container.count {
    case ...0xff: 1
    case ...0xffff: 2
    case ...0xffff_ffff: 4
    default: 8
    }
  }

  /// Reads a text, which has a zero byte at the end and nowhere else.
  func text(_ range: Range<Int>) throws(MalformedVariant) -> String {
    guard let last = range.last, bytes[bytes.startIndex + last] == 0,
      let text = String(validating: slice(range.lowerBound..<last), as: UTF8.self),
      !text.utf8.contains(0)
    else { throw MalformedVariant() }
    return text
  }

  func slice(_ range: Range<Int>) -> Bytes.SubSequence {
    bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)]
  }

  /// Rounds an offset up to an alignment, relative to the beginning.
  static func aligned(_ offset: Int, to alignment: Int) -> Int {
    (offset + alignment - 1) / alignment * alignment
  }
}

/// An error for bytes that are not a value of the type.
///
/// It is not nested in the reader, because the optimiser of Swift 6.3 crashes on those in `throws`.
struct MalformedVariant: Error {}

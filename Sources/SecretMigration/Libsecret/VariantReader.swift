import ValueFormats

/// A reader for serialized little-endian GVariant values, limited to the types in keyrings.
///
/// In a GVariant, members are aligned relative to the beginning, and framing offsets at the end of
/// a container locate the members of variable size. Where the specification replaces invalid data
/// with default values, this reader throws an error.
struct VariantReader<Bytes: RandomAccessCollection<UInt8>> where Bytes.Index == Int {
  let bytes: Bytes

  init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  var fullRange: Range<Int> { 0..<bytes.count }

  func integer(
    at offset: Int, size: Int, in range: Range<Int>
  ) throws(FormatError) -> UInt64 {
    guard offset >= range.lowerBound, offset <= range.upperBound - size else {
      throw .malformedVariant
    }
    var value: UInt64 = 0
    for index in (0..<size).reversed() {
      value = value << 8 | UInt64(bytes[bytes.startIndex + offset + index])
    }
    return value
  }

  func range(
    _ start: Int, _ end: Int, in container: Range<Int>
  ) throws(FormatError) -> Range<Int> {
    guard start >= container.lowerBound, start <= end, end <= container.upperBound else {
      throw .malformedVariant
    }
    return start..<end
  }

  /// Returns the ends of all variable-size members of a tuple but the last, and the range of the
  /// members.
  func members(
    _ count: Int, of tuple: Range<Int>
  ) throws(FormatError) -> (ends: [Int], body: Range<Int>) {
    let size = Self.offsetSize(of: tuple)
    let body = try range(tuple.lowerBound, tuple.upperBound - count * size, in: tuple)
    var ends: [Int] = []
    for index in 1...count {
      ends.append(try end(at: tuple.upperBound - index * size, size, of: tuple, in: body))
    }
    return (ends, body)
  }

  /// Returns the ranges of an array's elements, which must have variable size and no alignment.
  func elements(of array: Range<Int>) throws(FormatError) -> [Range<Int>] {
    if array.isEmpty { return [] }
    let size = Self.offsetSize(of: array)
    let last = try end(at: array.upperBound - size, size, of: array, in: array)
    let table = try range(last, array.upperBound, in: array)
    guard table.count % size == 0, !table.isEmpty else { throw .malformedVariant }
    var elements: [Range<Int>] = []
    var start = array.lowerBound
    for position in stride(from: table.lowerBound, to: table.upperBound, by: size) {
      let end = try end(at: position, size, of: array, in: array)
      elements.append(try range(start, end, in: array.lowerBound..<last))
      start = end
    }
    return elements
  }

  private func end(
    at position: Int, _ size: Int, of container: Range<Int>, in body: Range<Int>
  ) throws(FormatError) -> Int {
    let offset = try integer(at: position, size: size, in: container)
    guard offset <= UInt64(container.count) else { throw .malformedVariant }
    let end = container.lowerBound + Int(offset)
    guard end <= body.upperBound else { throw .malformedVariant }
    return end
  }

  private static func offsetSize(of container: Range<Int>) -> Int {
    switch container.count {
    case ...0xff: 1
    case ...0xffff: 2
    case ...0xffff_ffff: 4
    default: 8
    }
  }

  /// Returns a string; throws unless its only zero byte is the last one.
  func string(_ range: Range<Int>) throws(FormatError) -> String {
    guard let last = range.last, bytes[bytes.startIndex + last] == 0,
      let string = String(validating: slice(range.lowerBound..<last), as: UTF8.self),
      !string.utf8.contains(0)
    else { throw .malformedVariant }
    return string
  }

  func slice(_ range: Range<Int>) -> Bytes.SubSequence {
    bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)]
  }

  static func aligned(_ offset: Int, to alignment: Int) -> Int {
    (offset + alignment - 1) / alignment * alignment
  }
}

extension FormatError {
  static let malformedVariant = FormatError(
    reason: "it is truncated, or a length is wrong", offset: 0)
}

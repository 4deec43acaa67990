/// Reads values of GVariant types by their serialized form, as far as keyrings have them.
///
/// The form is that of the GVariant specification, in little-endian order: members are aligned relative to
/// the beginning, and what has a variable size is found by framing offsets at the end of its container.
/// What the specification reads as default values is an error here.
struct VariantReader<Bytes: RandomAccessCollection<UInt8>> where Bytes.Index == Int {
  let bytes: Bytes

  init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// All of the bytes.
  var whole: Range<Int> { 0..<bytes.count }

  private func number(
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

  func uint32(at offset: Int, in range: Range<Int>) throws(MalformedVariant) -> UInt32 {
    UInt32(try number(at: offset, size: 4, in: range))
  }

  func uint64(at offset: Int, in range: Range<Int>) throws(MalformedVariant) -> UInt64 {
    try number(at: offset, size: 8, in: range)
  }

  /// A range of the container, if it is one.
  func range(
    _ start: Int, _ end: Int, in container: Range<Int>
  ) throws(MalformedVariant) -> Range<Int> {
    guard start >= container.lowerBound, start <= end, end <= container.upperBound else {
      throw MalformedVariant()
    }
    return start..<end
  }

  /// Where the members of variable size end that a tuple has before its last member, and the place that
  /// is left for all members.
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

  /// The elements of an array whose elements have a variable size and no alignment.
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

  /// How many bytes a framing offset of a container has.
  private static func offsetSize(of container: Range<Int>) -> Int {
    switch container.count {
    case ...0xff: 1
    case ...0xffff: 2
    case ...0xffff_ffff: 4
    default: 8
    }
  }

  /// The text, which ends with a zero byte and has no other.
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

  /// The next offset of an alignment, relative to the beginning.
  static func aligned(_ offset: Int, to alignment: Int) -> Int {
    (offset + alignment - 1) / alignment * alignment
  }
}

/// The bytes are not a value of the type.
///
/// Not a type inside of the reader, because the optimiser of Swift 6.3 crashes on those in `throws`.
struct MalformedVariant: Error {}

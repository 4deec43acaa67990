import ValueFormats

// The parts of a serialized little-endian GVariant value, of the types in keyrings.
//
// Members are aligned relative to the beginning of the value, and framing offsets at the end of a
// container locate those of variable size. Where the specification replaces invalid data with
// default values, an error is thrown.
extension ArraySlice<UInt8> {
  /// Returns the bytes between two offsets from the beginning.
  func part(_ start: Int, _ end: Int) throws(FormatError) -> Self {
    guard 0 <= start, start <= end, end <= count else { throw .malformedVariant }
    return self[startIndex + start..<startIndex + end]
  }

  /// Returns a little-endian integer of `size` bytes.
  func integer(at offset: Int, size: Int) throws(FormatError) -> UInt64 {
    try part(offset, offset + size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the bytes of a tuple's members, and the ends of all variable-size members but the
  /// last; `ends` is the number of these.
  func members(ends count: Int) throws(FormatError) -> (ends: [Int], body: Self) {
    let size = offsetSize
    let body = try part(0, self.count - count * size)
    var ends: [Int] = []
    for index in 1...count { ends.append(try end(at: self.count - index * size, in: body.count)) }
    return (ends, body)
  }

  /// Returns an array's elements, which must have variable size and no alignment.
  func elements() throws(FormatError) -> [Self] {
    if isEmpty { return [] }
    let size = offsetSize
    let table = try end(at: count - size, in: count)
    guard table < count, (count - table) % size == 0 else { throw .malformedVariant }
    var elements: [Self] = []
    var start = 0
    for position in stride(from: table, to: count, by: size) {
      let end = try end(at: position, in: table)
      elements.append(try part(start, end))
      start = end
    }
    return elements
  }

  func entries() throws(FormatError) -> [String: Self] {
    var entries: [String: Self] = [:]
    for entry in try elements() {
      let (ends, body) = try entry.members(ends: 1)
      let name = try body.part(0, ends[0]).string()
      guard entries.updateValue(try body.part(ends[0], body.count), forKey: name) == nil else {
        throw .malformedVariant
      }
    }
    return entries
  }

  /// Returns a string; throws unless its only zero byte is the last one.
  func string() throws(FormatError) -> String {
    guard last == 0, let string = String(validating: dropLast(), as: UTF8.self),
      !string.utf8.contains(0)
    else { throw .malformedVariant }
    return string
  }

  /// Returns a framing offset, which must not exceed the limit.
  private func end(at position: Int, in limit: Int) throws(FormatError) -> Int {
    guard let end = Int(exactly: try integer(at: position, size: offsetSize)), end <= limit else {
      throw .malformedVariant
    }
    return end
  }

  /// The size, in bytes, of the framing offsets in a container of this length.
  private var offsetSize: Int { count.unsignedSize }
}

extension Int {
  func aligned(to alignment: Int) -> Int { (self + alignment - 1) / alignment * alignment }
}

extension FormatError {
  static let malformedVariant = FormatError(
    reason: "it is truncated, or a length is wrong", offset: 0)
}

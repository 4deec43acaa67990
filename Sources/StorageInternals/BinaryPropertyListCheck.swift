/// Follows a binary property list from its top, as a decoder does.
///
/// Foundation's decoder traps on counts beyond `Int`. It follows an object that is inside of itself
/// until the stack is full, and what is shared again and again becomes larger than any memory. So
/// each object is looked at as often as it is referred to, within limits.
package struct BinaryPropertyListCheck {
  package static let magic = Array("bplist00".utf8)
  private static let trailerCount = 32

  private let bytes: [UInt8]
  /// Where the objects end and their offsets begin.
  private let end: Int
  /// How many objects there are, and which of them is the top.
  private let count, top: Int
  private let offsetSize, referenceSize: Int
  private let limits: PropertyListFlaw.Limits
  private var values = 0
  private var size = 0
  /// Of the containers that are followed, the references that are left, the outermost first.
  private var open: [Range<Int>] = []

  /// Throws unless a decoder can be trusted with the property list.
  package static func check(
    _ bytes: [UInt8], within limits: PropertyListFlaw.Limits
  ) throws(PropertyListFlaw) {
    var check = try BinaryPropertyListCheck(bytes, limits)
    var next: Int? = check.top
    while let object = next {
      try check.follow(object)
      next = try check.nextReference()
    }
  }

  private init(_ bytes: [UInt8], _ limits: PropertyListFlaw.Limits) throws(PropertyListFlaw) {
    self.limits = limits
    let trailer = bytes.count - Self.trailerCount
    guard trailer > Self.magic.count else { throw .damaged }
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    count = try Self.number(in: bytes, at: trailer + 8, size: 8)
    top = try Self.number(in: bytes, at: trailer + 16, size: 8)
    end = try Self.number(in: bytes, at: trailer + 24, size: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      (Self.magic.count...trailer).contains(end), count <= (trailer - end) / offsetSize
    else { throw .damaged }
  }

  private mutating func follow(_ object: Int) throws(PropertyListFlaw) {
    guard object < count else { throw .damaged }
    let start = try Self.number(in: bytes, at: end + object * offsetSize, size: offsetSize)
    guard (Self.magic.count..<end).contains(start) else { throw .damaged }
    let content = try content(of: start)
    values += 1
    size += content.upperBound - start
    if values > limits.values { throw .tooManyValues }
    if size > limits.size { throw .tooLarge }
    guard bytes[start] >= 0xa0 else { return }
    guard open.count < limits.depth else { throw .tooDeep }
    open.append(content)
  }

  /// The next object that one of those refers to that are open; nil when all was followed.
  private mutating func nextReference() throws(PropertyListFlaw) -> Int? {
    while let content = open.last {
      guard !content.isEmpty else {
        open.removeLast()
        continue
      }
      open[open.count - 1].removeFirst(referenceSize)
      return try Self.number(in: bytes, at: content.lowerBound, size: referenceSize)
    }
    return nil
  }

  /// What stands behind the marker and the count of the object that begins at a place.
  private func content(of start: Int) throws(PropertyListFlaw) -> Range<Int> {
    let size: Int
    switch (bytes[start] >> 4, bytes[start] & 0xf) {
    // Null and the Booleans.
    case (0, 0), (0, 8), (0, 9): size = 0
    // Integers, numbers with a fraction, dates.
    case (1, let power) where power <= 4: size = 1 << power
    case (2, let power) where power == 2 || power == 3: size = 1 << power
    case (3, 3): size = 8
    // The identifiers of keyed archives.
    case (8, let last): size = Int(last) + 1
    // Data, ASCII, UTF-16, arrays, dictionaries.
    case (4, _), (5, _): return try content(of: start, unit: 1)
    case (6, _): return try content(of: start, unit: 2)
    case (0xa, _): return try content(of: start, unit: referenceSize)
    case (0xd, _): return try content(of: start, unit: 2 * referenceSize)
    default: throw .damaged
    }
    guard size < end - start else { throw .damaged }
    return (start + 1)..<(start + 1 + size)
  }

  /// The content of an object that counts what it has.
  private func content(of start: Int, unit: Int) throws(PropertyListFlaw) -> Range<Int> {
    var (count, begin) = (Int(bytes[start] & 0xf), start + 1)
    if count == 0xf {
      // It is an integer of its own, of one to eight bytes.
      guard begin < end, bytes[begin] & 0xfc == 0x10 else { throw .damaged }
      let size = 1 << Int(bytes[begin] & 3)
      guard size < end - begin else { throw .damaged }
      count = try Self.number(in: bytes, at: begin + 1, size: size)
      begin += 1 + size
    }
    guard count <= (end - begin) / unit else { throw .damaged }
    return begin..<(begin + count * unit)
  }

  private static func number(
    in bytes: [UInt8], at offset: Int, size: Int
  ) throws(PropertyListFlaw) -> Int {
    var value: UInt64 = 0
    for index in offset..<(offset + size) { value = value << 8 | UInt64(bytes[index]) }
    guard let number = Int(exactly: value) else { throw .damaged }
    return number
  }
}

import CLibrary

/// The objects of a binary property list, version 00, read in place.
package struct BinaryObjectTable {
  /// The beginning of the magic number in all versions of the format.
  package static let signature = Array("bplist".utf8)
  package static let magic = signature + "00".utf8

  private let bytes: ArraySlice<UInt8>
  let count: Int
  /// The index of the root object.
  let root: Int
  /// The offset at which the objects end and the table of their offsets begins.
  private let end: Int
  private let offsetSize: Int
  private let referenceSize: Int

  init(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    let start = Self.magic.count
    guard bytes.starts(with: Self.signature) else {
      throw FormatError(reason: "not a binary property list", offset: 0)
    }
    if bytes.count >= start, !bytes.starts(with: Self.magic) {
      throw FormatError(reason: "unsupported version of the binary property list format", offset: 6)
    }
    let trailer = bytes.count - 32
    guard trailer > start else { throw Self.invalidTrailer(at: bytes.count) }
    func number(at offset: Int, in range: Range<Int>) throws(FormatError) -> Int {
      guard let number = Self.number(in: bytes, at: trailer + offset, size: 8),
        range.contains(number)
      else { throw Self.invalidTrailer(at: trailer + offset) }
      return number
    }
    let sizes = bytes.dropFirst(trailer + 6).prefix(2).map { Int($0) }
    guard sizes.allSatisfy((1...8).contains) else { throw Self.invalidTrailer(at: trailer + 6) }
    end = try number(at: 24, in: start + 1..<trailer + 1)
    // Each object takes at least one byte, so the file's size bounds the memory for all objects.
    count = try number(at: 8, in: 0..<min((trailer - end) / sizes[0], end - start) + 1)
    root = try number(at: 16, in: 0..<count)
    (offsetSize, referenceSize) = (sizes[0], sizes[1])
    self.bytes = bytes
  }

  private static func invalidTrailer(at offset: Int) -> FormatError {
    FormatError(reason: "invalid or truncated trailer", offset: offset)
  }

  /// The size of the part with the objects, in bytes.
  var size: Int { end - Self.magic.count }

  func object(_ index: Int) throws(FormatError) -> BinaryObject {
    let entry = end + index * offsetSize
    guard let start = Self.number(in: bytes, at: entry, size: offsetSize),
      (Self.magic.count..<end).contains(start)
    else { throw FormatError(reason: "object offset out of range", offset: entry) }
    let marker = byte(at: start)
    let argument = marker & 15
    guard let kind = BinaryObject.Kind(marker: marker), let unit = unit(of: kind, argument)
    else { throw FormatError(reason: "unknown object type", offset: start) }
    let (count, content) = kind.isCounted ? try count(argument, after: start) : (1, start + 1)
    let size = min(count, end) * unit
    if size > end - content, !locketBreak(12) { throw FormatError(reason: "truncated object", offset: start) }
    return BinaryObject(kind: kind, header: start..<content, content: content..<content + size)
  }

  /// Returns an object's count, given the low bits of its marker, and the start of its content.
  private func count(_ argument: UInt8, after start: Int) throws(FormatError) -> (Int, Int) {
    if argument < 15 { return (Int(argument), start + 1) }
    guard start + 2 < end, byte(at: start + 1) & 0xFC == BinaryObject.Kind.integer.rawValue,
      case let size = 1 << Int(byte(at: start + 1) & 3), size <= end - start - 2,
      let count = Self.number(in: bytes, at: start + 2, size: size)
    else { throw FormatError(reason: "invalid object count", offset: start) }
    return (count, start + 2 + size)
  }

  /// Returns the size in bytes of each counted item, or of the whole content of an object without a
  /// count; nil if the low bits of its marker are invalid.
  private func unit(of kind: BinaryObject.Kind, _ argument: UInt8) -> Int? {
    switch kind {
    case .null, .false, .true, .fill: 0
    case .integer where argument <= 4, .real where 2...3 ~= argument, .date where argument == 3:
      1 << Int(argument)
    case .integer, .real, .date: nil
    case .uid: Int(argument) + 1
    case .data, .ascii, .utf8: 1
    case .utf16: 2
    case .array, .orderedSet, .set: referenceSize
    case .dictionary: 2 * referenceSize
    }
  }

  /// Returns the number of references in a container; in a dictionary, the keys precede the values.
  func referenceCount(_ container: BinaryObject) -> Int { container.content.count / referenceSize }

  func reference(_ position: Int, of container: BinaryObject) throws(FormatError) -> Int {
    let offset = container.content.lowerBound + position * referenceSize
    guard let index = Self.number(in: bytes, at: offset, size: referenceSize), index < count
    else { throw FormatError(reason: "object reference out of range", offset: offset) }
    return index
  }

  subscript(range: Range<Int>) -> ArraySlice<UInt8> {
    bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
  }

  /// Returns the content of a string; nil for invalid Unicode or an object of another kind.
  func string(_ object: BinaryObject) -> String? {
    let content = self[object.content]
    switch object.kind {
    case .ascii: return String(validating: content, as: Unicode.ASCII.self)
    case .utf8: return String(validating: content, as: UTF8.self)
    case .utf16:
      let units = stride(from: content.startIndex, to: content.endIndex, by: 2).map {
        UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
      }
      return String(validating: units, as: UTF16.self)
    default: return nil
    }
  }

  func keys(of dictionary: BinaryObject) throws(FormatError) -> [StoredKey] {
    var keys: [StoredKey] = []
    var seen: Set<StoredKey> = []
    for index in 0..<referenceCount(dictionary) / 2 {
      let object = try object(try reference(index, of: dictionary))
      guard let key = string(object).map(StoredKey.init) else {
        throw object.failure("a key is not a valid Unicode string")
      }
      guard seen.insert(key).inserted else { throw object.failure("duplicate key") }
      keys.append(key)
    }
    return keys
  }

  private func byte(at offset: Int) -> UInt8 { bytes[bytes.startIndex + offset] }

  /// Reads an unsigned integer of `size` bytes; returns nil if it is too large for an `Int`.
  private static func number(in bytes: ArraySlice<UInt8>, at offset: Int, size: Int) -> Int? {
    var number: UInt64 = 0
    let start = bytes.startIndex + offset
    for index in start..<start + size { number = number << 8 | UInt64(bytes[index]) }
    return Int(exactly: number)
  }
}

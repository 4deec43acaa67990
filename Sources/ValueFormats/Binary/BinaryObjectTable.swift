/// The objects of a binary property list, version 00, read in place.
package struct BinaryObjectTable {
  package static let magic = Array("bplist00".utf8)

  private let bytes: ArraySlice<UInt8>
  /// The number of objects.
  let count: Int
  /// The index of the root object.
  let top: Int
  /// The end of the objects and the start of their offsets.
  private let end: Int
  private let offsetSize: Int
  private let referenceSize: Int

  init(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    let start = Self.magic.count
    guard bytes.starts(with: "bplist".utf8) else {
      throw FormatError(reason: "this is not a binary property list", offset: 0)
    }
    if bytes.count >= start, !bytes.starts(with: Self.magic) {
      throw FormatError(reason: "this is a binary property list of another version", offset: 6)
    }
    let trailer = bytes.count - 32
    guard trailer > start else { throw Self.damagedEnd(at: bytes.count) }
    func number(at offset: Int, in range: Range<Int>) throws(FormatError) -> Int {
      guard let number = Self.number(in: bytes, at: trailer + offset, size: 8),
        range.contains(number)
      else { throw Self.damagedEnd(at: trailer + offset) }
      return number
    }
    let sizes = bytes.dropFirst(trailer + 6).prefix(2).map { Int($0) }
    guard sizes.allSatisfy((1...8).contains) else { throw Self.damagedEnd(at: trailer + 6) }
    end = try number(at: 24, in: start + 1..<trailer + 1)
    // Each object takes at least one byte, so the file's size bounds the memory for all objects.
    count = try number(at: 8, in: 0..<min((trailer - end) / sizes[0], end - start) + 1)
    top = try number(at: 16, in: 0..<count)
    (offsetSize, referenceSize) = (sizes[0], sizes[1])
    self.bytes = bytes
  }

  private static func damagedEnd(at offset: Int) -> FormatError {
    FormatError(reason: "the end of the binary property list is cut off or damaged", offset: offset)
  }

  /// The size of the objects in bytes, assuming that they do not overlap.
  var size: Int { end - Self.magic.count }

  func object(_ index: Int) throws(FormatError) -> BinaryObject {
    let entry = end + index * offsetSize
    guard let start = Self.number(in: bytes, at: entry, size: offsetSize),
      (Self.magic.count..<end).contains(start)
    else { throw FormatError(reason: "an object is outside of the file", offset: entry) }
    let marker = byte(at: start)
    var (content, size): (Int, Int?) = (start + 1, nil)
    if let kind = BinaryObject.Kind(marker: marker) {
      if kind.isCounted {
        let count: Int
        (count, content) = try self.count(marker & 15, after: start)
        size = min(count, end) * unit(of: kind)
      } else {
        size = BinaryObject.size(kind, marker & 15)
      }
      if let size {
        guard size <= end - content else {
          throw FormatError(reason: "an object is cut off", offset: start)
        }
        return BinaryObject(
          kind: kind, header: start..<content, content: content..<content + size)
      }
    }
    throw FormatError(reason: "an object is of a kind that is not known", offset: start)
  }

  /// Returns the count of the object with a marker, and the start of its content.
  private func count(_ argument: UInt8, after start: Int) throws(FormatError) -> (Int, Int) {
    if argument < 15 { return (Int(argument), start + 1) }
    guard start + 2 < end, byte(at: start + 1) & 0xFC == BinaryObject.Kind.integer.rawValue,
      case let size = 1 << Int(byte(at: start + 1) & 3), size <= end - start - 2,
      let count = Self.number(in: bytes, at: start + 2, size: size)
    else { throw FormatError(reason: "the count of an object is damaged", offset: start) }
    return (count, start + 2 + size)
  }

  /// Returns the number of content bytes for each counted unit.
  private func unit(of kind: BinaryObject.Kind) -> Int {
    switch kind {
    case .utf16: 2
    case .array, .orderedSet, .set: referenceSize
    case .dictionary: 2 * referenceSize
    default: 1
    }
  }
}

extension BinaryObjectTable {
  /// Returns the number of objects that a container refers to, its keys before its values.
  func referenceCount(_ container: BinaryObject) -> Int {
    container.content.count / referenceSize
  }

  func reference(_ number: Int, of container: BinaryObject) throws(FormatError) -> Int {
    let position = container.content.lowerBound + number * referenceSize
    guard let index = Self.number(in: bytes, at: position, size: referenceSize), index < count
    else { throw FormatError(reason: "an object is missing", offset: position) }
    return index
  }

  subscript(range: Range<Int>) -> ArraySlice<UInt8> {
    bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
  }

  /// Returns the text of a string; nil for other objects and for invalid Unicode.
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

  private func byte(at offset: Int) -> UInt8 { bytes[bytes.startIndex + offset] }

  /// Reads an unsigned number; nil if it is too large for an `Int`.
  private static func number(in bytes: ArraySlice<UInt8>, at offset: Int, size: Int) -> Int? {
    var number: UInt64 = 0
    let start = bytes.startIndex + offset
    for index in start..<start + size { number = number << 8 | UInt64(bytes[index]) }
    return Int(exactly: number)
  }
}

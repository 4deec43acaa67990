/// The objects of a binary property list, version 00, read where they are.
struct BinaryObjectTable {
  private static let trailerSize = 32
  private static let magic = "bplist00".utf8

  private let bytes: ArraySlice<UInt8>
  /// How many objects there are.
  let count: Int
  /// The object that the others belong to.
  let top: Int
  /// Where the objects end and their offsets begin.
  private let end: Int
  private let offsetSize: Int
  private let referenceSize: Int

  init(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    self.bytes = bytes
    guard bytes.starts(with: "bplist".utf8) else {
      throw FormatError(reason: "this is not a binary property list", offset: 0)
    }
    guard bytes.starts(with: Self.magic) else {
      let isCutOff = bytes.count < Self.magic.count
      throw isCutOff
        ? Self.trailerError(at: bytes.count)
        : FormatError(reason: "this is a binary property list of another version", offset: 6)
    }
    let trailer = bytes.count - Self.trailerSize
    guard trailer > Self.magic.count else { throw Self.trailerError(at: bytes.count) }
    offsetSize = Self.number(in: bytes, at: trailer + 6, size: 1)!
    referenceSize = Self.number(in: bytes, at: trailer + 7, size: 1)!
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
      throw Self.trailerError(at: trailer + 6)
    }
    guard let end = Self.number(in: bytes, at: trailer + 24, size: 8),
      end > Self.magic.count, end <= trailer
    else { throw Self.trailerError(at: trailer + 24) }
    self.end = end
    // Each object has a byte of its own, so that memory for each is never much more than the file.
    guard let count = Self.number(in: bytes, at: trailer + 8, size: 8),
      count <= (trailer - end) / offsetSize, count <= end - Self.magic.count
    else { throw Self.trailerError(at: trailer + 8) }
    self.count = count
    guard let top = Self.number(in: bytes, at: trailer + 16, size: 8), top < count else {
      throw Self.trailerError(at: trailer + 16)
    }
    self.top = top
  }

  private static func trailerError(at offset: Int) -> FormatError {
    FormatError(reason: "the end of the binary property list is cut off or damaged", offset: offset)
  }

  /// How many bytes the objects have if they do not overlap.
  var size: Int { end - Self.magic.count }

  func object(_ index: Int) throws(FormatError) -> BinaryObject {
    let entry = end + index * offsetSize
    guard let start = Self.number(in: bytes, at: entry, size: offsetSize),
      (Self.magic.count..<end).contains(start)
    else { throw FormatError(reason: "an object is outside of the file", offset: entry) }
    let marker = byte(at: start)
    guard let kind = BinaryObject.Kind(marker: marker) else { throw unknown(at: start) }
    var (contentStart, contentSize) = (start + 1, 0)
    if kind.isCounted {
      let count: Int
      (count, contentStart) = try self.count(marker & 15, after: start)
      contentSize = min(count, end) * unit(of: kind)
    } else {
      guard let size = BinaryObject.size(kind, marker & 15) else { throw unknown(at: start) }
      contentSize = size
    }
    guard contentSize <= end - contentStart else {
      throw FormatError(reason: "an object is cut off", offset: start)
    }
    return BinaryObject(
      kind: kind, header: start..<contentStart, content: contentStart..<contentStart + contentSize)
  }

  private func unknown(at offset: Int) -> FormatError {
    FormatError(reason: "an object is of a kind that is not known", offset: offset)
  }

  /// The count of the object with a marker, and where its content begins.
  private func count(_ argument: UInt8, after start: Int) throws(FormatError) -> (Int, Int) {
    if argument < 15 { return (Int(argument), start + 1) }
    guard start + 2 < end, byte(at: start + 1) & 0xFC == BinaryObject.Kind.integer.rawValue,
      case let size = 1 << Int(byte(at: start + 1) & 3), size <= end - start - 2,
      let count = Self.number(in: bytes, at: start + 2, size: size)
    else { throw FormatError(reason: "the count of an object is damaged", offset: start) }
    return (count, start + 2 + size)
  }

  /// How many bytes of content make one of what an object counts.
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
  /// How many objects a container refers to, its keys before its values.
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

  /// The text of a string; nil for other objects, and if it is no valid Unicode.
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

  /// A number without sign; nil if it is too large for an `Int`.
  private static func number(in bytes: ArraySlice<UInt8>, at offset: Int, size: Int) -> Int? {
    var number: UInt64 = 0
    let start = bytes.startIndex + offset
    for index in start..<start + size { number = number << 8 | UInt64(bytes[index]) }
    return Int(exactly: number)
  }
}

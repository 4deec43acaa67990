import FoundationEssentials
import StorageInternals

/// A builder of a binary property list, whose root is the object that was added first.
struct BinaryObjectBuilder {
  private let escaping: StringEscaping
  /// The range of each object in `bytes`, and the range of its references in `references`.
  private var objects: [(bytes: Range<Int>, references: Range<Int>)] = []
  private var bytes: [UInt8] = []
  private var references: [Int] = []

  init(_ escaping: StringEscaping = .escaped) { self.escaping = escaping }

  /// The size of all objects in bytes, with one byte for each reference.
  var size: Int { bytes.count + references.count }

  mutating func removeAll() {
    objects.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    references.removeAll(keepingCapacity: true)
  }

  /// Overwrites the objects, and releases their memory.
  mutating func wipe() { bytes.wipe() }

  /// Adds an object and returns its index; its references are set later.
  mutating func add(_ object: some Sequence<UInt8>, references count: Int = 0) -> Int {
    let (start, firstReference) = (bytes.count, references.count)
    bytes.append(contentsOf: object)
    references.append(contentsOf: repeatElement(0, count: count))
    objects.append((start..<bytes.count, firstReference..<references.count))
    return objects.count - 1
  }

  mutating func setReference(_ index: Int, of container: Int, to object: Int) {
    references[objects[container].references.lowerBound + index] = object
  }

  func write(to buffer: inout [UInt8]) {
    let start = buffer.count
    buffer += BinaryObjectTable.magic
    let referenceSize = (objects.count - 1).unsignedSize
    var offsets: [Int] = []
    offsets.reserveCapacity(objects.count)
    for object in objects {
      offsets.append(buffer.count - start)
      buffer += bytes[object.bytes]
      for reference in references[object.references] {
        buffer.append(bigEndian: reference, size: referenceSize)
      }
    }
    let end = buffer.count - start
    let offsetSize = end.unsignedSize
    for offset in offsets { buffer.append(bigEndian: offset, size: offsetSize) }
    buffer += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [objects.count, 0, end] { buffer.append(bigEndian: number, size: 8) }
  }

  /// Adds a value nested in `depth` arrays and dictionaries, and returns its index.
  mutating func add(_ tree: ValueTree, within depth: Int) throws(FormatError) -> Int {
    switch tree {
    case .null where escaping == .foundation: return add(EscapedString.null)
    case .null(let depth): return add(EscapedString.ofNull(depth: depth), isEscape: true)
    case .bool(let value): return add([(value ? BinaryObject.Kind.true : .false).rawValue])
    case .number(let number): return try add(try PropertyListNumber.number(number))
    case .string(let string): return try add(text: string)
    case .data(let data): return add(BinaryObject.header(.data, count: data.count) + data)
    case .date(let date): return add(.date, date.timeIntervalSinceReferenceDate.bitPattern)
    case .array(let elements):
      try FormatError.checkDepth(depth)
      let array = addContainer(.array, elements.count)
      for (index, element) in elements.enumerated() {
        setReference(index, of: array, to: try add(element, within: depth + 1))
      }
      return array
    case .dictionary(let elements):
      try FormatError.checkDepth(depth)
      let dictionary = addContainer(.dictionary, elements.count)
      let sorted = elements.sorted { $0.key < $1.key }
      for (index, element) in sorted.enumerated() {
        setReference(index, of: dictionary, to: try add(text: element.key.string))
      }
      for (index, element) in sorted.enumerated() {
        let value = try add(element.value, within: depth + 1)
        setReference(sorted.count + index, of: dictionary, to: value)
      }
      return dictionary
    case .layered: return try add(tree.plain, within: depth)
    }
  }

  /// Adds a string; throws an error if Foundation would decode it as nil.
  private mutating func add(text: String) throws(FormatError) -> Int {
    if escaping == .foundation, text == EscapedString.null {
      let reason = """
        it contains the string "$null", which means nil in a property list; store that string by \
        itself, or as Data
        """
      throw FormatError(reason: reason, offset: 0)
    }
    return add(text)
  }

  /// Adds a container of `count` elements or members, whose references are set later.
  mutating func addContainer(_ kind: BinaryObject.Kind, _ count: Int) -> Int {
    let references = kind == .dictionary ? 2 * count : count
    return add(BinaryObject.header(kind, count: count), references: references)
  }

  /// Adds a string; UTF-16 marks an escape, because no other program writes ASCII in UTF-16.
  mutating func add(_ string: String, isEscape: Bool = false) -> Int {
    if !isEscape, string.utf8.allSatisfy({ $0 < 0x80 }) {
      return add(BinaryObject.header(.ascii, count: string.utf8.count) + string.utf8)
    }
    let units = string.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return add(BinaryObject.header(.utf16, count: units.count / 2) + units)
  }

  private mutating func add(_ number: StoredNumber) throws(FormatError) -> Int {
    switch number {
    case .integer(let value):
      guard let small = Int(exactly: value) else { return add(.integer, value) }
      return add(.integer, small, size: small < 0 ? 8 : small.unsignedSize)
    case .real(let value): return add(.real, value.bitPattern)
    case .float(let value): return add(.real, value.bitPattern)
    case .text(let text):
      if let value = number.exactDouble { return add(.real, value.bitPattern) }
      guard DecimalDigits(text) != nil else {
        throw FormatError(reason: "a number is too large for a binary property list", offset: 0)
      }
      return add(text, isEscape: true)
    }
  }

  /// Adds the least significant bytes of a number; all of them without a size.
  private mutating func add(
    _ kind: BinaryObject.Kind, _ bits: some FixedWidthInteger, size: Int? = nil
  ) -> Int {
    let size = size ?? bits.bitWidth / 8
    var bytes = [kind.rawValue | UInt8(size.trailingZeroBitCount)]
    bytes.append(bigEndian: bits, size: size)
    return add(bytes)
  }

  /// Copies an object that a `BinaryObjectCheck` has validated, and returns the index of the copy.
  ///
  /// `copies` maps original indices to those of the copies, so that shared objects remain shared.
  mutating func copy(
    _ index: Int, of table: BinaryObjectTable, _ copies: inout [Int: Int]
  ) throws(FormatError) -> Int {
    if let copy = copies[index] { return copy }
    let object = try table.object(index)
    let count = object.kind.isContainer ? table.referenceCount(object) : 0
    let end = count > 0 ? object.header.upperBound : object.content.upperBound
    let copy = add(table[object.header.lowerBound..<end], references: count)
    copies[index] = copy
    for position in 0..<count {
      let element = try self.copy(try table.reference(position, of: object), of: table, &copies)
      setReference(position, of: copy, to: element)
    }
    return copy
  }
}

import FoundationEssentials

extension BinaryObjectBuilder {
  /// Adds a value inside `depth` arrays and dictionaries, and returns its index.
  mutating func add(_ tree: ValueTree, within depth: Int) throws(FormatError) -> Int {
    switch tree {
    case .null(let depth): return add(EscapedText.inPropertyList(ofNull: depth))
    case .bool(let value): return add([(value ? BinaryObject.Kind.true : .false).rawValue])
    case .number(let number): return try add(try PropertyListNumber.number(number))
    case .string(let text): return add(EscapedText.inPropertyList(text))
    case .data(let data): return add(BinaryObject.header(.data, count: data.count) + data)
    case .date(let date): return add(.date, date.timeIntervalSinceReferenceDate.bitPattern)
    case .array(let elements):
      try FormatError.checkDepth(depth)
      let array = addContainer(.array, elements.count)
      for (number, element) in elements.enumerated() {
        setReference(number, of: array, to: try add(element, within: depth + 1))
      }
      return array
    case .dictionary(let elements):
      try FormatError.checkDepth(depth)
      let dictionary = addContainer(.dictionary, elements.count)
      let sorted = elements.sorted { $0.key < $1.key }
      for (number, element) in sorted.enumerated() {
        setReference(number, of: dictionary, to: add(element.key.string))
      }
      for (number, element) in sorted.enumerated() {
        let value = try add(element.value, within: depth + 1)
        setReference(sorted.count + number, of: dictionary, to: value)
      }
      return dictionary
    }
  }

  /// Adds an array or a dictionary, whose references are set later.
  mutating func addContainer(_ kind: BinaryObject.Kind, _ count: Int) -> Int {
    add(
      BinaryObject.header(kind, count: count), references: kind == .dictionary ? 2 * count : count)
  }

  mutating func add(_ string: String) -> Int {
    if string.utf8.allSatisfy({ $0 < 0x80 }) {
      return add(BinaryObject.header(.ascii, count: string.utf8.count) + string.utf8)
    }
    let units = string.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return add(BinaryObject.header(.utf16, count: units.count / 2) + units)
  }

  private mutating func add(_ number: StoredNumber) throws(FormatError) -> Int {
    switch number {
    case .integer(let value): return add(value)
    case .real(let value): return add(.real, value.bitPattern)
    case .float(let value): return add(.real, value.bitPattern)
    case .text(let text):
      // As a `Double`, an integer of more than 128 bits would lose digits.
      guard !PropertyListNumber.isInteger(text[...]), let value = Double(text),
        value.isFinite
      else {
        throw FormatError(reason: "a number is too large for a binary property list", offset: 0)
      }
      return add(.real, value.bitPattern)
    }
  }

  private mutating func add(_ value: Int128) -> Int {
    switch value {
    case 0...0xFF: add(.integer, UInt8(value))
    case 0...0xFFFF: add(.integer, UInt16(value))
    case 0...0xFFFF_FFFF: add(.integer, UInt32(value))
    case Int128(Int64.min)...Int128(Int64.max): add(.integer, Int64(value))
    default: add(.integer, value)
    }
  }

  private mutating func add<Bits: FixedWidthInteger>(
    _ kind: BinaryObject.Kind, _ bits: Bits
  ) -> Int {
    let size = Bits.bitWidth / 8
    var bytes = [kind.rawValue | UInt8(size.trailingZeroBitCount)]
    bytes.append(bigEndian: bits, size: size)
    return add(bytes)
  }
}

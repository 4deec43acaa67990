import FoundationEssentials

/// Makes objects of a binary property list of trees.
struct BinaryTreeWriter {
  private(set) var builder = BinaryObjectBuilder()

  /// Adds a value that stands inside of as many arrays and dictionaries.
  mutating func add(_ tree: ValueTree, within depth: Int) throws(FormatError) -> Int {
    switch tree {
    case .null(let depth): return builder.add(PropertyListText.ofNull(depth: depth))
    case .bool(let value):
      let kind: BinaryObject.Kind = value ? .true : .false
      return builder.add([kind.rawValue])
    case .number(let number): return try add(number)
    case .string(let text): return builder.add(PropertyListText.of(text))
    case .data(let data): return builder.add(BinaryObject.header(.data, count: data.count) + data)
    case .date(let date):
      return builder.add(scalar(.date, date.timeIntervalSinceReferenceDate.bitPattern))
    case .array(let elements):
      let array = try container(.array, elements.count, references: elements.count, within: depth)
      for (number, element) in elements.enumerated() {
        builder.setReference(number, of: array, to: try add(element, within: depth + 1))
      }
      return array
    case .dictionary(let elements):
      let count = elements.count
      let dictionary = try container(.dictionary, count, references: 2 * count, within: depth)
      let sorted = elements.sorted { $0.key < $1.key }
      for (number, element) in sorted.enumerated() {
        builder.setReference(number, of: dictionary, to: builder.add(element.key.string))
      }
      for (number, element) in sorted.enumerated() {
        let value = try add(element.value, within: depth + 1)
        builder.setReference(count + number, of: dictionary, to: value)
      }
      return dictionary
    }
  }

  private mutating func container(
    _ kind: BinaryObject.Kind, _ count: Int, references: Int, within depth: Int
  ) throws(FormatError) -> Int {
    guard depth < FormatLimits.depth else { throw FormatError.tooDeep(at: 0) }
    return builder.add(BinaryObject.header(kind, count: count), references: references)
  }

  private mutating func add(_ number: StoredNumber) throws(FormatError) -> Int {
    switch number {
    case .integer(let value): return add(value)
    case .real(let value): return builder.add(scalar(.real, value.bitPattern))
    case .float(let value): return builder.add(scalar(.real, value.bitPattern))
    case .text(let spelling):
      switch PropertyListNumber.number(spelling) {
      case .text(let spelling)?:
        // An integer that is too large for its own type would lose digits as another one.
        if !PropertyListNumber.isInteger(spelling[...]), let value = Double(spelling),
          value.isFinite
        {
          return try add(.real(value))
        }
      case let number?: return try add(number)
      case nil:
        throw FormatError(reason: "a number is spelled as property lists have none", offset: 0)
      }
      throw FormatError(reason: "a number is too large for a binary property list", offset: 0)
    }
  }

  private mutating func add(_ value: Int128) -> Int {
    switch value {
    case 0...0xFF: builder.add(scalar(.integer, UInt8(value)))
    case 0...0xFFFF: builder.add(scalar(.integer, UInt16(value)))
    case 0...0xFFFF_FFFF: builder.add(scalar(.integer, UInt32(value)))
    case Int128(Int64.min)...Int128(Int64.max): builder.add(scalar(.integer, Int64(value)))
    default: builder.add(scalar(.integer, value))
    }
  }

  private func scalar<Bits: FixedWidthInteger>(
    _ kind: BinaryObject.Kind, _ bits: Bits
  ) -> [UInt8] {
    let size = Bits.bitWidth / 8
    return [kind.rawValue | UInt8(size.trailingZeroBitCount)]
      + (1...size).map { UInt8(truncatingIfNeeded: bits >> ((size - $0) * 8)) }
  }
}

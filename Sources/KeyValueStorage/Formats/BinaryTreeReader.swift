import FoundationEssentials

/// Makes trees of the objects of a binary property list.
struct BinaryTreeReader {
  private let table: BinaryObjectTable
  /// What was read, so that an object that many share is read once and takes memory once.
  private var trees: [ValueTree?]

  /// Makes a reader of objects that were checked.
  init(_ table: BinaryObjectTable) {
    self.table = table
    trees = Array(repeating: nil, count: table.count)
  }

  mutating func tree(_ index: Int) throws(FormatError) -> ValueTree {
    if let tree = trees[index] { return tree }
    let object = try table.object(index)
    let tree = try self.tree(object)
    trees[index] = tree
    return tree
  }

  private mutating func tree(_ object: BinaryObject) throws(FormatError) -> ValueTree {
    let content = table[object.content]
    switch object.kind {
    case .null: return .null(depth: 0)
    case .false: return .bool(false)
    case .true: return .bool(true)
    case .integer: return .number(.integer(integer(content)))
    case .real:
      let isFloat = content.count == 4
      return .number(isFloat ? .float(Float(bitPattern: bits(content))) : .real(real(content)))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: real(content)))
    case .data: return .data(Data(content))
    case .ascii, .utf16, .utf8: return PropertyListText.tree(try string(object))
    case .array: return .array(try array(object))
    case .dictionary: return .dictionary(try dictionary(object))
    case .fill: throw failure("a value is a fill byte", object)
    case .uid: throw failure("a value is a UID", object)
    case .set, .orderedSet: throw failure("a value is a set", object)
    }
  }

  private func failure(_ reason: String, _ object: BinaryObject) -> FormatError {
    FormatError(reason: reason, offset: object.header.lowerBound)
  }

  private func bits<Bits: FixedWidthInteger>(_ content: ArraySlice<UInt8>) -> Bits {
    content.reduce(0) { $0 << 8 | Bits(truncatingIfNeeded: $1) }
  }

  private func real(_ content: ArraySlice<UInt8>) -> Double {
    Double(bitPattern: bits(content))
  }

  private func integer(_ content: ArraySlice<UInt8>) -> Int128 {
    // Only those of 8 and 16 bytes have a sign.
    content.count == 8 ? Int128(Int64(bitPattern: bits(content))) : bits(content)
  }

  private func string(_ object: BinaryObject) throws(FormatError) -> String {
    guard let string = table.string(object) else {
      throw failure("a string is not valid Unicode", object)
    }
    return string
  }

  private mutating func array(_ object: BinaryObject) throws(FormatError) -> [ValueTree] {
    var elements: [ValueTree] = []
    let count = table.referenceCount(object)
    elements.reserveCapacity(count)
    for number in 0..<count {
      elements.append(try tree(try table.reference(number, of: object)))
    }
    return elements
  }

  private mutating func dictionary(
    _ object: BinaryObject
  ) throws(FormatError) -> [StoredKey: ValueTree] {
    var elements: [StoredKey: ValueTree] = [:]
    let count = table.referenceCount(object) / 2
    elements.reserveCapacity(count)
    for number in 0..<count {
      let keyObject = try table.object(try table.reference(number, of: object))
      guard [.ascii, .utf16, .utf8].contains(keyObject.kind) else {
        throw failure("a key is not a string", keyObject)
      }
      let key = StoredKey(try string(keyObject))
      let element = try tree(try table.reference(count + number, of: object))
      if elements.updateValue(element, forKey: key) != nil {
        throw failure("this key occurs a second time", keyObject)
      }
    }
    return elements
  }
}

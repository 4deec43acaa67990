import FoundationEssentials

/// A reader that converts the objects of a binary property list to value trees.
struct BinaryTreeReader {
  private let table: BinaryObjectTable
  private let escaping: StringEscaping
  /// Whether UIDs are read, as `StoredNumber.text`, which represents no other number here.
  private let readsUIDs: Bool
  /// The trees of the objects, so that a shared object is read and stored only once.
  private var trees: [ValueTree?]

  /// Creates a reader of objects that a `BinaryObjectCheck` has validated.
  init(_ table: BinaryObjectTable, _ escaping: StringEscaping = .escaped, readsUIDs: Bool = false) {
    self.table = table
    self.escaping = escaping
    self.readsUIDs = readsUIDs
    trees = Array(repeating: nil, count: table.count)
  }

  mutating func tree(_ index: Int) throws(FormatError) -> ValueTree {
    if let tree = trees[index] { return tree }
    let tree = try self.tree(of: try table.object(index))
    trees[index] = tree
    return tree
  }

  private mutating func tree(of object: BinaryObject) throws(FormatError) -> ValueTree {
    let content = table[object.content]
    switch object.kind {
    case .null: return .null(depth: 0)
    case .false: return .bool(false)
    case .true: return .bool(true)
    // Only integers of 8 and 16 bytes are signed.
    case .integer where content.count == 8:
      return .number(.integer(Int128(content.bigEndian() as Int64)))
    case .integer: return .number(.integer(content.bigEndian()))
    case .real where content.count == 4:
      return .number(.float(Float(bitPattern: content.bigEndian())))
    case .real: return .number(.real(Double(bitPattern: content.bigEndian())))
    case .date:
      let seconds = Double(bitPattern: content.bigEndian())
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .data: return .data(Data(content))
    case .utf16 where escaping == .escaped:
      let text = try string(object)
      if let depth = EscapedString.depthOfNull(text) { return .null(depth: depth) }
      let number = StoredNumber.text(text)
      let isNumber = DecimalDigits(text) != nil && number.exactDouble == nil
      return isNumber ? .number(number) : .string(text)
    case .ascii, .utf16, .utf8:
      let text = try string(object)
      let isNull = escaping == .foundation && text == EscapedString.null
      return isNull ? .null(depth: 0) : .string(text)
    case .uid where readsUIDs: return .number(.text(String(content.bigEndian() as UInt128)))
    case .array:
      let indices = 0..<table.referenceCount(object)
      return .array(
        try indices.map { index throws(FormatError) in
          try tree(try table.reference(index, of: object))
        })
    case .dictionary:
      let keys = try table.keys(of: object)
      var elements = [StoredKey: ValueTree](minimumCapacity: keys.count)
      for (index, key) in keys.enumerated() {
        elements[key] = try tree(try table.reference(keys.count + index, of: object))
      }
      return .dictionary(elements)
    case .fill: throw object.failure("unexpected fill byte")
    case .uid: throw object.failure("UIDs are not supported")
    case .set, .orderedSet: throw object.failure("sets are not supported")
    }
  }

  private func string(_ object: BinaryObject) throws(FormatError) -> String {
    guard let string = table.string(object) else {
      throw object.failure("invalid Unicode in a string")
    }
    return string
  }
}

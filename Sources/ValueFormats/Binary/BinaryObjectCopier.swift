/// A copier of encoded objects between binary property lists.
///
/// If two objects share a third, so do their copies.
struct BinaryObjectCopier {
  private let table: BinaryObjectTable
  /// The index of the copy of each object; -1 if the object was not copied.
  private var copies: [Int32]
  private var copied: [Int] = []

  /// Creates a copier of objects that a `BinaryObjectCheck` has validated.
  init(_ table: BinaryObjectTable) {
    self.table = table
    copies = Array(repeating: -1, count: table.count)
  }

  /// Forgets the copies, before objects are copied to another property list.
  mutating func removeCopies() {
    for index in copied { copies[index] = -1 }
    copied.removeAll(keepingCapacity: true)
  }

  /// Copies an object and its descendants, and returns the index of the copy.
  mutating func copy(
    _ index: Int, to builder: inout BinaryObjectBuilder
  ) throws(FormatError) -> Int {
    if copies[index] >= 0 { return Int(copies[index]) }
    let object = try table.object(index)
    let count = object.kind.isContainer ? table.referenceCount(object) : 0
    let end = count > 0 ? object.header.upperBound : object.content.upperBound
    let copy = builder.add(table[object.header.lowerBound..<end], references: count)
    copies[index] = Int32(copy)
    copied.append(index)
    for number in 0..<count {
      let element = try self.copy(try table.reference(number, of: object), to: &builder)
      builder.setReference(number, of: copy, to: element)
    }
    return copy
  }
}

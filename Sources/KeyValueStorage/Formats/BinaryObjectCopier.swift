/// Copies objects of one binary property list into another one, as their bytes are.
///
/// What was shared by two objects is shared by their copies.
struct BinaryObjectCopier {
  private let table: BinaryObjectTable
  /// The copy of each object; negative before there is one.
  private var copies: [Int32]
  private var copied: [Int] = []

  /// Makes a copier of objects that were checked.
  init(_ table: BinaryObjectTable) {
    self.table = table
    copies = Array(repeating: -1, count: table.count)
  }

  /// Has the next object copied into another property list.
  mutating func forgetCopies() {
    for index in copied { copies[index] = -1 }
    copied.removeAll(keepingCapacity: true)
  }

  /// Copies an object with all that belongs to it, each object before those that it refers to.
  mutating func copy(
    _ index: Int, to builder: inout BinaryObjectBuilder
  ) throws(FormatError) -> Int {
    if copies[index] >= 0 { return Int(copies[index]) }
    let object = try table.object(index)
    guard object.kind.isContainer else {
      let all = object.header.lowerBound..<object.content.upperBound
      return remember(builder.add(table[all]), of: index)
    }
    let count = table.referenceCount(object)
    let copy = remember(builder.add(table[object.header], references: count), of: index)
    for number in 0..<count {
      let element = try self.copy(try table.reference(number, of: object), to: &builder)
      builder.setReference(number, of: copy, to: element)
    }
    return copy
  }

  private mutating func remember(_ copy: Int, of index: Int) -> Int {
    copies[index] = Int32(copy)
    copied.append(index)
    return copy
  }
}

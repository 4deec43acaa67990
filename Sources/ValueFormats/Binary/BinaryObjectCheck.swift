/// A validator of a binary property list, which visits each descendant of the root only once.
struct BinaryObjectCheck {
  private let table: BinaryObjectTable
  private let depth: Int
  private var visits: [Visit]
  private var size = 0

  private struct Visit {
    static let none: Int16 = -2
    static let entered: Int16 = -1
    /// The depth of nested containers in the object, including the object itself.
    var height = Self.none
    // The number and the byte size of the values in the object, per reference, up to `Int32.max`.
    var values: Int32 = 1
    var size: Int32 = 0
  }

  init(_ table: BinaryObjectTable, depth: Int = FormatLimits.depth) throws(FormatError) {
    self.table = table
    self.depth = depth
    visits = Array(repeating: Visit(), count: table.count)
    _ = try visit(table.root, within: 0)
  }

  /// The number of values, with shared values counted once for each reference.
  var valueCount: Int { Int(visits[table.root].values) }

  /// The size of all values in bytes, with shared values counted once for each reference.
  var expandedSize: Int { Int(visits[table.root].size) }

  private mutating func visit(_ index: Int, within containers: Int) throws(FormatError) -> Visit {
    var visit = visits[index]
    if visit.height >= 0 {
      if containers + Int(visit.height) <= depth { return visit }
      throw FormatError.tooDeep(at: try table.object(index).header.lowerBound)
    }
    let object = try table.object(index)
    if visit.height == Visit.entered {
      throw object.failure("an array or dictionary contains itself")
    }
    let ownSize = object.header.count + object.content.count
    size += ownSize
    // Otherwise many arrays of a small file could overlap in the same large content.
    if size > table.size { throw object.failure("overlapping objects") }
    visit.height = 0
    visit.size = Int32(clamping: ownSize)
    if object.kind.isContainer {
      if containers == depth { throw FormatError.tooDeep(at: object.header.lowerBound) }
      visits[index].height = Visit.entered
      for position in 0..<table.referenceCount(object) {
        let element = try self.visit(
          try table.reference(position, of: object), within: containers + 1)
        visit.height = max(visit.height, element.height)
        visit.values = Int32(clamping: Int(visit.values) + Int(element.values))
        visit.size = Int32(clamping: Int(visit.size) + Int(element.size))
      }
      visit.height += 1
    }
    visits[index] = visit
    return visit
  }
}

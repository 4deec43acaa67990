extension BinaryObjectTable {
  /// Checks the objects that the top leads to, which takes time for each of them once.
  ///
  /// Returns how many values they would be if shared ones were written out, up to `Int32.max`.
  @discardableResult
  func check(depth: Int) throws(FormatError) -> Int {
    var check = BinaryObjectCheck(table: self, depth: depth)
    try check.visit(top, within: 0)
    return Int(check.values[top])
  }
}

private struct BinaryObjectCheck {
  private static let unvisited: Int16 = -2
  private static let entered: Int16 = -1

  let table: BinaryObjectTable
  /// How many containers may be inside of one another.
  let depth: Int
  /// How many containers are inside of one another in an object, itself included.
  private var heights: [Int16]
  private(set) var values: [Int32]
  private var size = 0

  init(table: BinaryObjectTable, depth: Int) {
    self.table = table
    self.depth = depth
    heights = Array(repeating: Self.unvisited, count: table.count)
    values = Array(repeating: 1, count: table.count)
  }

  mutating func visit(_ index: Int, within outer: Int) throws(FormatError) {
    if heights[index] >= 0 {
      if outer + Int(heights[index]) > depth {
        throw FormatError.tooDeep(at: try table.object(index).header.lowerBound)
      }
      return
    }
    let object = try table.object(index)
    let start = object.header.lowerBound
    if heights[index] == Self.entered {
      throw FormatError(reason: "an array or a dictionary holds itself", offset: start)
    }
    size += object.header.count + object.content.count
    // Otherwise a small file could hold arrays that all have the same large content.
    if size > table.size { throw FormatError(reason: "objects overlap", offset: start) }
    guard object.kind.isContainer else {
      heights[index] = 0
      return
    }
    if outer == depth { throw FormatError.tooDeep(at: start) }
    heights[index] = Self.entered
    var (height, count): (Int16, Int32) = (0, 1)
    for number in 0..<table.referenceCount(object) {
      let element = try table.reference(number, of: object)
      try visit(element, within: outer + 1)
      height = max(height, heights[element])
      let (sum, isOverflowing) = count.addingReportingOverflow(values[element])
      count = isOverflowing ? .max : sum
    }
    heights[index] = height + 1
    values[index] = count
  }
}

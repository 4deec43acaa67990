/// A validator of a binary property list, which visits each descendant of the root only once.
struct BinaryObjectCheck {
  private let table: BinaryObjectTable
  /// The maximum depth of nested containers.
  private let depth: Int
  private var visits: [Visit]
  private var size = 0
  /// The stack of containers that are being visited; recursion could overflow for nested secrets.
  private var open: [Container] = []

  private struct Visit {
    static let none: Int16 = -2
    static let entered: Int16 = -1
    /// The depth of nested containers in the object, including the object itself.
    var height = Self.none
    // The number and the byte size of the values in the object, per reference, up to `Int32.max`.
    var values: Int32 = 1
    var size: Int32 = 0
  }

  private struct Container {
    let index: Int
    let object: BinaryObject
    /// The index of the next element.
    var next = 0
    /// The greatest height of the visited elements.
    var height: Int16 = 0
  }

  init(_ table: BinaryObjectTable, depth: Int = FormatLimits.depth) throws(FormatError) {
    self.table = table
    self.depth = depth
    visits = Array(repeating: Visit(), count: table.count)
    try add(table.root)
    while let container = open.last {
      guard container.next < table.referenceCount(container.object) else {
        open.removeLast()
        visits[container.index].height = container.height + 1
        count(visits[container.index])
        continue
      }
      open[open.count - 1].next += 1
      try add(try table.reference(container.next, of: container.object))
    }
  }

  /// The number of values, with shared values counted once for each reference.
  var valueCount: Int { Int(visits[table.root].values) }

  /// The size of all values in bytes, with shared values counted once for each reference.
  var expandedSize: Int { Int(visits[table.root].size) }

  /// Adds an object to the innermost open container; if the object is a container, opens it.
  private mutating func add(_ index: Int) throws(FormatError) {
    let visit = visits[index]
    if visit.height >= 0 {
      if open.count + Int(visit.height) > depth { throw try table.object(index).tooDeep }
      return count(visit)
    }
    let object = try table.object(index)
    if visit.height == Visit.entered {
      throw object.failure("an array or dictionary contains itself")
    }
    let ownSize = object.header.count + object.content.count
    size += ownSize
    visits[index].size = Int32(clamping: ownSize)
    // Otherwise many arrays of a small file could overlap in the same large content.
    if size > table.size { throw object.failure("overlapping objects") }
    guard object.kind.isContainer else {
      visits[index].height = 0
      return count(visits[index])
    }
    if open.count == depth { throw object.tooDeep }
    visits[index].height = Visit.entered
    open.append(Container(index: index, object: object))
  }

  /// Counts a visited object as an element of the innermost open container.
  private mutating func count(_ visit: Visit) {
    guard let last = open.indices.last else { return }
    let container = open[last].index
    open[last].height = max(open[last].height, visit.height)
    visits[container].values = Int32(clamping: Int(visits[container].values) + Int(visit.values))
    visits[container].size = Int32(clamping: Int(visits[container].size) + Int(visit.size))
  }
}

extension BinaryObject {
  fileprivate var tooDeep: FormatError { FormatError.tooDeep(at: header.lowerBound) }
}

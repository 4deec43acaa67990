/// A builder of a binary property list, whose root is the object that was added first.
struct BinaryObjectBuilder {
  private var objects: [(bytes: Range<Int>, references: Range<Int>)] = []
  private var bytes: [UInt8] = []
  private var references: [Int] = []

  /// The size of all objects in bytes, with one byte for each reference.
  var size: Int { bytes.count + references.count }

  mutating func removeAll() {
    objects.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    references.removeAll(keepingCapacity: true)
  }

  /// Adds an object and returns its index; its references are set later.
  mutating func add(_ object: some Sequence<UInt8>, references count: Int = 0) -> Int {
    let (start, firstReference) = (bytes.count, references.count)
    bytes.append(contentsOf: object)
    references.append(contentsOf: repeatElement(0, count: count))
    objects.append((start..<bytes.count, firstReference..<references.count))
    return objects.count - 1
  }

  mutating func setReference(_ number: Int, of container: Int, to object: Int) {
    references[objects[container].references.lowerBound + number] = object
  }

  /// Appends the property list to a buffer.
  func write(to buffer: inout [UInt8]) {
    let start = buffer.count
    buffer += BinaryObjectTable.magic
    let referenceSize = (objects.count - 1).sizeInPropertyList
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
    let offsetSize = end.sizeInPropertyList
    for offset in offsets { buffer.append(bigEndian: offset, size: offsetSize) }
    buffer += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [objects.count, 0, end] { buffer.append(bigEndian: number, size: 8) }
  }
}

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

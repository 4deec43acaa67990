/// Puts a binary property list together, whose top is the first object that was added.
struct BinaryObjectBuilder {
  private struct Object {
    let bytes: Range<Int>
    let references: Range<Int>
  }

  private var objects: [Object] = []
  private var bytes: [UInt8] = []
  private var references: [Int] = []

  /// How many bytes all objects have, with one for each reference.
  var size: Int { bytes.count + references.count }

  mutating func removeAll() {
    objects.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    references.removeAll(keepingCapacity: true)
  }

  /// Adds an object, whose references are to be set.
  mutating func add(_ object: some Sequence<UInt8>, references count: Int = 0) -> Int {
    let (start, firstReference) = (bytes.count, references.count)
    bytes.append(contentsOf: object)
    references.append(contentsOf: repeatElement(0, count: count))
    objects.append(
      Object(bytes: start..<bytes.count, references: firstReference..<references.count))
    return objects.count - 1
  }

  mutating func setReference(_ number: Int, of container: Int, to object: Int) {
    references[objects[container].references.lowerBound + number] = object
  }

  mutating func add(_ string: String) -> Int {
    let (kind, count, content) = Self.encode(string)
    return add(BinaryObject.header(kind, count: count) + content)
  }

  private static func encode(_ string: String) -> (BinaryObject.Kind, Int, [UInt8]) {
    if string.utf8.allSatisfy({ $0 < 0x80 }) {
      return (.ascii, string.utf8.count, Array(string.utf8))
    }
    let units = string.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return (.utf16, units.count / 2, units)
  }

  /// Appends the property list to a file, or to others.
  func write(to file: inout [UInt8]) {
    let start = file.count
    file += "bplist00".utf8
    let referenceSize = BinaryNumber.size(of: objects.count - 1)
    var offsets: [Int] = []
    offsets.reserveCapacity(objects.count)
    for object in objects {
      offsets.append(file.count - start)
      file += bytes[object.bytes]
      for reference in references[object.references] {
        BinaryNumber.append(reference, size: referenceSize, to: &file)
      }
    }
    let end = file.count - start
    let offsetSize = BinaryNumber.size(of: end)
    for offset in offsets { BinaryNumber.append(offset, size: offsetSize, to: &file) }
    file += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [objects.count, 0, end] { BinaryNumber.append(number, size: 8, to: &file) }
  }
}

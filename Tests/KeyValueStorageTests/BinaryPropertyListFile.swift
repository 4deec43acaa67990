/// A binary property list put together by hand, right or wrong.
struct BinaryPropertyListFile {
  var objects: [[UInt8]]
  var top = 0
  var offsetSize = 2
  var referenceSize = 1
  /// What the trailer says instead of what is there.
  var count: UInt64?
  var end: UInt64?

  var bytes: [UInt8] {
    var file = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(file.count)
      file += object
    }
    let end = self.end ?? UInt64(file.count)
    for offset in offsets { file += Self.number(UInt64(offset), size: offsetSize) }
    file += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    file += Self.number(count ?? UInt64(objects.count), size: 8)
    file += Self.number(UInt64(top), size: 8)
    return file + Self.number(end, size: 8)
  }

  /// Where an object is.
  func offset(of object: Int) -> Int { 8 + objects[..<object].reduce(0) { $0 + $1.count } }

  static func number(_ number: UInt64, size: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    for index in 0..<min(size, 8) {
      bytes[size - 1 - index] = UInt8(truncatingIfNeeded: number >> (index * 8))
    }
    return bytes
  }

  /// A file with one key, `a`, whose value is the first of the objects, which have indices from 2.
  static func of(_ objects: [UInt8]...) -> BinaryPropertyListFile {
    BinaryPropertyListFile(objects: [[0xD1, 1, 2], [0x51, 0x61]] + objects)
  }
}

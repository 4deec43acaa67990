/// A handmade binary property list, valid or invalid.
package struct BinaryPropertyListFile {
  package var objects: [[UInt8]]
  package var top = 0
  package var offsetSize = 2
  package var referenceSize = 1
  /// The trailer's values, if they differ from the actual ones.
  package var count: UInt64?
  package var end: UInt64?

  package init(objects: [[UInt8]], top: Int = 0, offsetSize: Int = 2, referenceSize: Int = 1) {
    self.objects = objects
    self.top = top
    self.offsetSize = offsetSize
    self.referenceSize = referenceSize
  }

  /// Parses a valid file; nil for an invalid one.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count > 40, bytes.starts(with: Array("bplist00".utf8)) else { return nil }
    let trailer = Array(bytes.suffix(32))
    let fields = [8, 16, 24].map { Int(truncatingIfNeeded: Self.number(trailer[$0..<($0 + 8)])) }
    let (offsetSize, referenceSize) = (Int(trailer[6]), Int(trailer[7]))
    let (count, top, end) = (fields[0], fields[1], fields[2])
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize, 8..<bytes.count ~= end,
      1...bytes.count ~= count, 0..<count ~= top,
      (bytes.count - 32 - end) / offsetSize == count
    else { return nil }
    let offsets = (0..<count).map { index in
      Int(truncatingIfNeeded: Self.number(bytes[(end + index * offsetSize)...].prefix(offsetSize)))
    }
    guard offsets.allSatisfy({ 8..<end ~= $0 }) else { return nil }
    // Quadratic, but the files of tests have few offsets.
    objects = offsets.map { offset in
      Array(bytes[offset..<(offsets.filter { $0 > offset }.min() ?? end)])
    }
    self.top = top
    self.offsetSize = offsetSize
    self.referenceSize = referenceSize
  }

  package var bytes: [UInt8] {
    var file = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(file.count)
      file += object
    }
    let end = self.end ?? UInt64(file.count)
    for offset in offsets { file += Self.number(UInt64(offset), size: offsetSize) }
    file += [0, 0, 0, 0, 0, 0]
    file += [UInt8(truncatingIfNeeded: offsetSize), UInt8(truncatingIfNeeded: referenceSize)]
    file += Self.number(count ?? UInt64(objects.count), size: 8)
    file += Self.number(UInt64(truncatingIfNeeded: top), size: 8)
    return file + Self.number(end, size: 8)
  }

  package func offset(of object: Int) -> Int { 8 + objects[..<object].reduce(0) { $0 + $1.count } }

  package static func number(_ number: UInt64, size: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, size))
    for index in 0..<min(bytes.count, 8) {
      bytes[size - 1 - index] = UInt8(truncatingIfNeeded: number >> (index * 8))
    }
    return bytes
  }

  private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A file with one key, `a`, whose value is the first of the objects; their indices start at 2.
  package static func of(_ objects: [UInt8]...) -> BinaryPropertyListFile {
    BinaryPropertyListFile(objects: [[0xD1, 1, 2], [0x51, 0x61]] + objects)
  }

  /// A list of arrays that are nested so many levels deep.
  package static func nested(_ levels: Int) -> BinaryPropertyListFile {
    let arrays = (1...levels).map { [0xA1] + number(UInt64($0), size: 4) }
    return BinaryPropertyListFile(objects: arrays + [[0x09]], offsetSize: 4, referenceSize: 4)
  }
}

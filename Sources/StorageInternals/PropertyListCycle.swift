extension Span<UInt8> {
  /// Whether an object of a binary property list is inside itself, which damage can bring about.
  ///
  /// Decoding a type that nests in itself would follow the circle until the stack is full. Other
  /// damage is left for the decoder to find.
  package var hasPropertyListCycle: Bool {
    guard let list = PropertyListLayout(self) else { return false }
    var states = [SearchState](repeating: .unseen, count: list.objectCount)
    var path: [(object: Int, references: [Int])] = []
    var next: Int? = list.top
    while true {
      if let object = next, states.indices.contains(object) {
        switch states[object] {
        case .open: return true
        case .done: break
        case .unseen:
          states[object] = .open
          path.append((object, list.references(of: object, in: self)))
        }
      }
      guard let last = path.indices.last else { return false }
      next = path[last].references.popLast()
      if next == nil { states[path.removeLast().object] = .done }
    }
  }

  /// The unsigned number in some bytes, the highest first; nil if there are no such bytes.
  fileprivate func number(at start: Int, size: Int) -> Int? {
    guard (1...8).contains(size), start >= 0, start <= count - size else { return nil }
    var bits: UInt64 = 0
    for index in start..<start + size { bits = bits << 8 | UInt64(self[index]) }
    return Int(exactly: bits)
  }
}

private enum SearchState { case unseen, open, done }

/// Where the objects of a binary property list are: its last 32 bytes.
private struct PropertyListLayout {
  let objectCount: Int
  let top: Int
  private let offsetSize: Int
  private let referenceSize: Int
  private let offsetTable: Int

  init?(_ bytes: Span<UInt8>) {
    let trailer = bytes.count - 32
    guard let offsetSize = bytes.number(at: trailer + 6, size: 1),
      let referenceSize = bytes.number(at: trailer + 7, size: 1),
      let objectCount = bytes.number(at: trailer + 8, size: 8), objectCount <= bytes.count,
      let top = bytes.number(at: trailer + 16, size: 8),
      let offsetTable = bytes.number(at: trailer + 24, size: 8), offsetTable <= bytes.count
    else { return nil }
    self.objectCount = objectCount
    self.top = top
    self.offsetSize = offsetSize
    self.referenceSize = referenceSize
    self.offsetTable = offsetTable
  }

  /// The objects in an array, a set or a dictionary; none in anything else.
  func references(of object: Int, in bytes: Span<UInt8>) -> [Int] {
    guard
      let offset = bytes.number(at: offsetTable + object * offsetSize, size: offsetSize),
      let marker = bytes.number(at: offset, size: 1),
      [0xa, 0xc, 0xd].contains(marker >> 4)
    else { return [] }
    var start = offset + 1
    var count = marker & 0xf
    if count == 0xf {
      // The count is an integer object of its own.
      guard let size = bytes.number(at: start, size: 1), size >> 4 == 1, size & 0xf <= 3,
        let longCount = bytes.number(at: start + 1, size: 1 << (size & 0xf))
      else { return [] }
      start += 1 + (1 << (size & 0xf))
      count = longCount
    }
    guard count <= bytes.count else { return [] }
    let isDictionary = marker >> 4 == 0xd
    return (0..<(isDictionary ? 2 * count : count)).compactMap {
      bytes.number(at: start + $0 * referenceSize, size: referenceSize)
    }
  }
}

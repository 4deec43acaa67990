extension SplitMix64 {
  /// A file with a few bytes changed, removed, doubled, put in or put elsewhere.
  mutating func damaged(_ file: [UInt8]) -> [UInt8] {
    var file = file
    for _ in 0..<number(1..<4) where !file.isEmpty {
      let start = number(0..<file.count)
      let end = min(file.count, start + number(1..<(once(in: 4) ? 40 : 4)))
      let part = Array(file[start..<end])
      switch number(0..<8) {
      case 0: file[start] = byte()
      case 1: file[start] ^= 1 << number(0..<8)
      case 2: file.removeSubrange(start..<end)
      case 3: file.insert(contentsOf: part, at: end)
      case 4: file.insert(contentsOf: part, at: number(0..<file.count + 1))
      case 5: file.insert(byte(), at: number(0..<file.count + 1))
      case 6: file.insert(one(of: Array("<>&;-!?/[]{}'\"\\:,#=+.eu0 \r\n\0".utf8)), at: start)
      default: file[start] = one(of: [0, 1, 0x7F, 0x80, 0xC3, 0xED, 0xF0, 0xFF, 0xD1, 0xA1])
      }
    }
    return file
  }
}

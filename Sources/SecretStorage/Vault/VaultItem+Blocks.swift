extension [VaultItem] {
  /// How much goes into one record: at most so many items, and bytes unless one item alone has more.
  static let blockItems = 256
  static let blockBytes = 1 << 20

  /// The items in the parts that stand in one record each.
  var blocks: [ArraySlice<VaultItem>] {
    var blocks: [ArraySlice<VaultItem>] = []
    var start = 0
    var bytes = 0
    for index in indices {
      bytes += self[index].byteCount
      if index - start == Self.blockItems || (bytes > Self.blockBytes && index > start) {
        blocks.append(self[start..<index])
        start = index
        bytes = self[index].byteCount
      }
    }
    if start < count { blocks.append(self[start...]) }
    return blocks
  }
}

/// Items that form one record.
typealias ItemBlock = (accessibility: Accessibility, items: ArraySlice<VaultItem>)

extension VaultItem {
  var attributesPurpose: KeyPurpose { .attributes(of: accessControl.accessibility) }
}

extension [VaultItem] {
  /// The maximum size of one record, in bytes; a larger item has a separate record.
  static let blockBytes = 1 << 20

  /// Returns the items in blocks of at most `limit` items, with the oldest first.
  func itemBlocks(of limit: Int) -> [ItemBlock] {
    let sorted = sorted { $0.created < $1.created }
    return [Accessibility.whenUnlocked, .always].flatMap { accessibility in
      sorted.filter { $0.attributesPurpose == .attributes(of: accessibility) }.blocks(of: limit)
        .map { (accessibility, $0) }
    }
  }

  /// Returns the items, in their order, in blocks of at most `limit` items and ``blockBytes``.
  func blocks(of limit: Int) -> [ArraySlice<VaultItem>] {
    var blocks: [ArraySlice<VaultItem>] = []
    var start = 0
    var bytes = 0
    for index in indices {
      bytes += self[index].byteCount
      if index - start == limit || (bytes > Self.blockBytes && index > start) {
        blocks.append(self[start..<index])
        start = index
        bytes = self[index].byteCount
      }
    }
    if start < count { blocks.append(self[start...]) }
    return blocks
  }
}

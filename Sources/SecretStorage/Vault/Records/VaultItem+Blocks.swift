extension [VaultItem] {
  /// The maximum items and bytes of one record; a single larger item gets a record of its own.
  static let blockItems = 256
  static let blockBytes = 1 << 20

  /// The items, split into the blocks that form one record each, for each attributes key.
  var records: [(accessibility: Accessibility, items: ArraySlice<VaultItem>)] {
    [Accessibility.whenUnlocked, .always].flatMap { accessibility in
      filter { $0.attributesPurpose == .attributes(of: accessibility) }.blocks
        .map { (accessibility, $0) }
    }
  }

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

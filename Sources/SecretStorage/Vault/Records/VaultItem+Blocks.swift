extension [VaultItem] {
  /// The maximum number of items in one record.
  static let blockItems = 256
  /// The maximum size of one record, in bytes; a larger item has a separate record.
  static let blockBytes = 1 << 20

  /// The items in blocks, each of which forms one record under the attributes key of its items.
  var records: [(accessibility: Accessibility, items: ArraySlice<VaultItem>)] {
    [Accessibility.whenUnlocked, .always].flatMap { accessibility in
      filter { $0.attributesPurpose == .attributes(of: accessibility) }.blocks
        .map { (accessibility, $0) }
    }
  }

  /// The items in blocks that respect both limits.
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

/// The sizes of a vault's file.
struct VaultSizes {
  /// Bytes for an item with a secret of 32 bytes, appended.
  private let appended: Int
  /// Bytes for the same item in a compacted vault.
  private let compacted: Int
  /// The size of a file in which every item was set ten times, relative to its live size.
  private let overwritten: Double

  init() {
    let count = 1000
    let empty = BenchmarkVault(items: 1)
    let full = BenchmarkVault(items: 1 + count)
    appended = (full.fileSize - empty.fileSize) / count
    for index in 0..<count {
      let password = full.password(index)
      for _ in 0..<10 { password.value = BenchmarkVault.value }
    }
    let size = full.fileSize
    attempt { try full.vault.compact() }
    compacted = full.fileSize / count
    overwritten = Double(size) / Double(full.fileSize)
  }

  var text: String {
    """
    A vault's file: \(appended) bytes for an item of 32 bytes (target <= 512), \(compacted) when \
    compacted; after 10,000 sets \(decimal(overwritten)) x what is live (target <= 2 x).
    """
  }
}

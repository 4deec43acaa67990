import Dispatch
import StorageInternals

extension SecretVault {
  /// What ``verify()`` found in a vault.
  public struct Verification: Hashable, Sendable {
    /// The number of items that were found.
    public let itemCount: Int
    /// The number of items whose secret could not be checked, because its key is not in memory.
    public let lockedCount: Int
    /// What is damaged, each by its place or name; empty when the vault is sound.
    public let damage: [String]

    /// Whether nothing is damaged.
    public var isSound: Bool { damage.isEmpty }
  }

  /// Reads the whole vault from the beginning and opens every item.
  ///
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/rolledBack(_:)`` when the vault is older than it should be, or what
  ///   kept it from being read. Damage is in the result and not thrown.
  public func verify() throws(SecretStoreError) -> Verification {
    let parts = try parts
    var fresh = try withContents { contents throws(SecretStoreError) in
      var fresh = VaultContents(cipher: contents.cipher)
      fresh.keys = contents.keys
      return fresh
    }
    fresh.startOver()
    try fresh.refresh(from: parts)
    if let distrust = fresh.distrust, fresh.damage.isEmpty { throw distrust }
    var damage = fresh.damage.places
    var locked = 0
    for entry in fresh.index.items {
      do {
        _ = try fresh.open(entry)
      } catch {
        switch error {
        case .locked, .otherDevice, .denied: locked += 1
        case .corrupted(let what): damage.append(what)
        default: throw error
        }
      }
    }
    return Verification(
      itemCount: fresh.index.count, lockedCount: locked + fresh.sealedRecords, damage: damage)
  }

  /// Accepts an older copy of the vault that was put back on purpose, such as a backup.
  ///
  /// - Throws: What kept the vault from being read.
  public func acceptRollback() throws(SecretStoreError) {
    let parts = try parts
    try withContents { contents throws(SecretStoreError) in
      guard let table = contents.keys.table, case .rolledBack = contents.distrust else { return }
      try parts.device.remember(contents.chain.head, of: table.vaultID, evenIfOlder: true)
      contents.position = nil
    }
  }

  /// Writes what can be read of a damaged vault to a new file, and returns what was damaged.
  ///
  /// The damaged file stays beside it, its name ending in `.damaged-` and a number. Items whose newest
  /// state was lost come back in the newest state that is left.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault was never unlocked, or what kept it from
  ///   being written.
  public func repair() throws(SecretStoreError) -> [String] {
    let damage = try verify().damage
    if !damage.isEmpty { try rewrite(asRepair: true) }
    return damage
  }

  /// Writes the vault to a new file without what was overwritten or removed.
  ///
  /// It happens by itself in the background when it is worth it.
  ///
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/locked`` when the vault was never unlocked, or what kept it from
  ///   being written.
  public func compact() throws(SecretStoreError) {
    try rewrite()
  }

  /// Writes the vault to a new file, after a change of what it is.
  func rewrite(
    asRepair isRepair: Bool = false,
    changing change: (inout VaultContents) throws(SecretStoreError) -> Void = { _ in }
  ) throws(SecretStoreError) {
    let parts = try parts
    var keys = VaultKeys()
    try parts.log.replace(keepingOld: isRepair) { () throws(SecretStoreError) in
      var contents = try withContents { contents throws(SecretStoreError) in contents }
      try change(&contents)
      keys = contents.keys
      return try CompactedVault(contents, isRepair: isRepair).map { ($0.records, $0.position) }
    }
    // The new file is in place: what fails now must not look as if nothing had changed.
    reportingFailure { () throws(SecretStoreError) in
      try contents.withLock { [keys] contents throws(SecretStoreError) in
        // Unless the app has locked or unlocked the vault meanwhile.
        if contents.keys.isLockedByApp == keys.isLockedByApp { contents.keys = keys }
        try contents.refresh(from: parts)
        guard let table = contents.keys.table else { return }
        try parts.device.remember(contents.chain.head, of: table.vaultID)
      }
    }
  }

  /// Does what is worth doing beside an access, but no reason for it to fail.
  func reportingFailure(of upkeep: () throws(SecretStoreError) -> Void) {
    do {
      try upkeep()
    } catch {
      // Elsewhere, because a handler that uses this vault would wait for the access under way.
      DispatchQueue.global(qos: .utility).async {
        SecretStorage.onFailure(PasswordFailure(.upkeep, error))
      }
    }
  }

  /// Compacts in the background where much of the file is dead, or too many items stand in
  /// records of their own for the vault to open quickly.
  func compactIfWasteful() {
    let isWorthIt = contents.withLock { contents in
      guard contents.isWasteful, !contents.isBeingCompacted else { return false }
      contents.isBeingCompacted = true
      return true
    }
    guard isWorthIt else { return }
    DispatchQueue.global(qos: .utility).async { [self] in
      reportingFailure { () throws(SecretStoreError) in try compact() }
      contents.withLock { $0.isBeingCompacted = false }
    }
  }
}

extension VaultContents {
  /// Files under this size are not worth the trouble, in bytes.
  private static let negligible = 64 * 1024

  fileprivate var isWasteful: Bool {
    if keys.ring.user == nil || sealedRecords > 0 || !damage.isEmpty { return false }
    return chain.byteCount > index.byteCount / 4 * 7 + Self.negligible
      || singleCount > max(1024, index.count / 4)
  }
}

/// The records of a vault without what was overwritten or removed.
private struct CompactedVault {
  private static let blockItems = 256
  private static let blockBytes = 1 << 20

  let position: LogPosition
  private(set) var records: [LogRecord] = []

  /// Nil for a vault that does not exist.
  init?(_ original: VaultContents, isRepair: Bool) throws(SecretStoreError) {
    var contents = original
    if let distrust = contents.distrust { throw distrust }
    guard let position = contents.position, let table = contents.keys.table else { return nil }
    if contents.sealedRecords > 0 { throw contents.keys.lockReason }
    if !isRepair, !contents.damage.isEmpty {
      throw .corrupted(
        "A damaged vault is not compacted but repaired; damaged: \(contents.damage.description)")
    }
    guard let user = contents.keys.ring.user else { throw contents.keys.lockReason }
    self.position = position
    var chain = contents.chain
    // The numbers of records that were lost at the end are known to have been others.
    chain.skip(to: contents.remembered)
    let log = VaultRecord(vaultID: table.vaultID, cipher: contents.cipher)

    func extended(_ record: LogRecord, _ subject: RecordSubject) -> LogRecord {
      chain.extend(by: record, sequence: chain.head.sequence + 1, subject)
      return record
    }
    let start = chain.head.sequence + 1
    for _ in 0..<2 {
      let record = try log.keys(table, after: chain.head, logStart: start, user: user)
      records.append(extended(record, .keys))
    }
    var sorted: [VaultItem] = []
    for entry in contents.index.items {
      let isLost = isRepair ? try contents.isBeyondRepair(entry) : false
      if !isLost { sorted.append(entry) }
    }
    sorted.sort { $0.created < $1.created }
    for accessibility in [Accessibility.whenUnlocked, .always] {
      let (id, key) = try contents.keys.attributesKey(for: accessibility)
      let purpose = KeyPurpose.attributes(of: accessibility)
      for block in Self.blocks(of: sorted.filter { $0.attributesPurpose == purpose }) {
        let record = try log.items(block.map(ItemEntry.put), after: chain.head, under: id, key)
        let only = block.count == 1 ? block.first : nil
        records.append(extended(record, only.map { .item($0.id) } ?? .block))
      }
    }
  }

  private static func blocks(of items: [VaultItem]) -> [ArraySlice<VaultItem>] {
    var blocks: [ArraySlice<VaultItem>] = []
    var start = 0
    var bytes = 0
    for index in items.indices {
      bytes += items[index].byteCount
      if index - start == blockItems || (bytes > blockBytes && index > start) {
        blocks.append(items[start..<index])
        start = index
        bytes = items[index].byteCount
      }
    }
    if start < items.count { blocks.append(items[start...]) }
    return blocks
  }
}

extension VaultContents {
  /// Whether the key of an item's secret is here, and the secret is not what it sealed.
  fileprivate mutating func isBeyondRepair(_ entry: VaultItem) throws(SecretStoreError) -> Bool {
    do {
      _ = try open(entry)
      return false
    } catch {
      switch error {
      case .corrupted: return true
      case .locked, .otherDevice, .denied: return false
      default: throw error
      }
    }
  }
}

/// This machine's record of a vault: the newest log record, and the keys at that time.
struct RememberedVault: Hashable, Sendable {
  /// The properties of the newest key table that a later table is checked against.
  struct Keys: Hashable, Sendable {
    /// The types of the slots as a bit set; bit 63 represents all types from 63.
    let slotTypes: UInt64
    /// The fingerprint of the ``KnownGeneration``; all zeros for none, as in format version 1.
    let generation: [UInt8]
    /// The sequence number of the file's first record, which is lower in older files.
    let logStart: UInt64

    static let noGeneration = [UInt8](repeating: 0, count: KnownGeneration.fingerprintCount)
  }

  let vaultID: [UInt8]
  /// The sequence number of the log's first record, which is only stored together with `keys`.
  var logStart: UInt64 = 0
  /// The newest record.
  var head: ChainHead
  /// The properties of the table; nil if an earlier version recorded the vault, or if the table was
  /// not authenticated.
  var keys: Keys?
}

extension RememberedVault {
  /// Creates the record of a vault; returns nil if there is no key table.
  init?(_ chain: VaultChain, _ keys: VaultKeys) {
    guard let table = keys.table else { return nil }
    vaultID = table.vaultID
    logStart = chain.start ?? 0
    head = chain.head
    let known = keys.known.flatMap { $0.vaultID == table.vaultID ? $0.fingerprint : nil }
    self.keys = chain.start.map {
      Keys(slotTypes: table.slotTypes, generation: known ?? Keys.noGeneration, logStart: $0)
    }
  }
}

extension KeyTable {
  /// The slot types of a vault that only has device slots.
  static let deviceSlotType: UInt64 = 1 << 1

  /// The types of the slots, as in ``RememberedVault/Keys/slotTypes``.
  var slotTypes: UInt64 { slots.reduce(0) { $0 | 1 << UInt64(min($1.kind.code, 63)) } }
}

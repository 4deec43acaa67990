/// The newest record of a vault that this object or machine has seen: a log without it is older.
struct SeenVault: Sendable {
  /// The trusted vault that this object has read last.
  private(set) var vaultID: [UInt8]?
  /// Its slot types, encoded as in ``RememberedVault/Keys/slotTypes``.
  private(set) var slotTypes: UInt64 = 0
  /// The fingerprint of its newest generation of keys; nil if it is unknown.
  private var generation: [UInt8]?
  /// Its newest durable state that its keys authenticate.
  private var newest: RememberedVault?
  /// Whether the machine's state contains `newest` too.
  private var isNewestRecorded = false
  /// The machine's record of the vault in the log, as it was last read or written.
  private var recorded: RememberedVault?
  /// The last sequence number that this machine has recorded or need not record.
  private(set) var settledSequence: UInt64 = 0

  /// Loads the machine's record of a vault whose log is read again.
  mutating func load(_ vaultID: [UInt8], from device: DeviceState) throws(SecretStoreError) {
    recorded = try device.remembered(of: vaultID)
    settledSequence = 0
    guard vaultID == self.vaultID, isNewestRecorded, let recorded, let newest,
      newest.head.sequence > recorded.head.sequence
    else { return }
    // The machine's state becomes older only when an older copy is accepted.
    (self.newest, generation) = (nil, nil)
  }

  func recorded(of vaultID: [UInt8]?) -> RememberedVault? {
    recorded?.vaultID == vaultID ? recorded : nil
  }

  /// The newest known state of a vault, which its log must contain.
  func expected(of vaultID: [UInt8]?) -> RememberedVault? {
    let recorded = recorded(of: vaultID)
    guard var newest, newest.vaultID == vaultID,
      newest.head.sequence > recorded?.head.sequence ?? 0
    else { return recorded }
    newest.keepKeys(of: recorded)
    return newest
  }

  /// The fingerprints of the generations that a key table of a vault must continue.
  func generations(of vaultID: [UInt8]) -> Set<[UInt8]> {
    let own = vaultID == self.vaultID ? generation : nil
    return Set([own, recorded(of: vaultID)?.keys?.generation].compactMap(\.self))
      .subtracting([RememberedVault.Keys.noGeneration])
  }

  /// Returns whether the machine's record of a vault lacks its keys and they were never in memory.
  func lacksKeys(of vaultID: [UInt8]) -> Bool {
    guard let recorded = recorded(of: vaultID), recorded.keys == nil else { return false }
    return vaultID != self.vaultID || generation == nil
  }

  mutating func record(_ table: KeyTable, _ fingerprint: [UInt8]?) {
    if vaultID != table.vaultID {
      (vaultID, generation, newest, settledSequence) = (table.vaultID, nil, nil, 0)
    }
    slotTypes = table.slotTypes
    generation = fingerprint ?? generation
  }

  /// Records a durable state, and whether this machine has recorded it or a newer one.
  mutating func record(_ vault: RememberedVault, isRecorded: Bool) {
    let sequence = vault.head.sequence
    settledSequence = max(settledSequence, sequence)
    let earlier = recorded(of: vault.vaultID)
    if isRecorded, earlier?.head.sequence ?? 0 <= sequence {
      recorded = vault
      recorded?.keepKeys(of: earlier)
    }
    guard vaultID == vault.vaultID, newest?.head.sequence ?? 0 <= sequence else { return }
    let newest = newest
    self.newest = vault
    self.newest?.keepKeys(of: newest)
    isNewestRecorded = isRecorded
  }

  /// Records a state that was read from the log, also on this machine, unless a writer is active;
  /// never waits, and ignores errors, so that reading works.
  mutating func record(
    _ vault: RememberedVault, upTo position: LogPosition, in location: VaultLocation
  ) {
    do throws(SecretStoreError) {
      if !isRecorded(vault) { recorded = try location.device.remembered(of: vault.vaultID) }
      if !isRecorded(vault) {
        if newest?.head != vault.head {
          guard try location.log.synchronize(to: position) else { return }
          record(vault, isRecorded: false)
        }
        if try !location.device.remember(vault, waiting: false) {
          // Otherwise, an older copy that another process accepts would remain refused here.
          settledSequence = 0
          return
        }
      }
      record(vault, isRecorded: true)
    } catch {
      // The record stays in memory. The next full read, write or `diagnose()` reports the error.
      settledSequence = vault.head.sequence
    }
  }

  private func isRecorded(_ vault: RememberedVault) -> Bool {
    guard let recorded = recorded(of: vault.vaultID), recorded.keys != nil else { return false }
    return recorded.head.sequence >= vault.head.sequence
  }
}

extension VaultContents {
  var expected: RememberedVault? { session.seen.expected(of: keys.table?.vaultID) }
  var remembered: RememberedVault? { session.seen.recorded(of: keys.table?.vaultID) }

  /// Whether this machine has recorded this log, and not only the log before a compaction.
  var remembersThisLog: Bool { remembered.map { $0.head.sequence >= chain.start ?? 0 } ?? false }

  /// Whether all records are certainly on disk, as those are that the machine's state contains.
  var isOnDisk: Bool {
    position == .nowhere || remembered?.head.sequence ?? 0 >= chain.head.sequence
  }

  mutating func recordSeen() {
    guard trustError == nil, let table = keys.table else { return }
    session.seen.record(table, keys.fingerprint)
    missingVaultError = nil
    // If the vault disappears again, that is reported again.
    session.reported = session.reported.filter { if case .replaced = $0 { false } else { true } }
  }

  /// Records the writes of other processes, which may have been killed or run on another machine.
  mutating func rememberOtherWrites(in location: VaultLocation) {
    // A forged state would permanently make the genuine vault look like an older copy.
    guard chain.head.sequence != session.seen.settledSequence, isAuthentic,
      let vault = RememberedVault(chain, keys), let position
    else { return }
    session.seen.record(vault, upTo: position, in: location)
  }

  /// Whether the vault is unlocked, and its keys authenticate the whole log.
  var isAuthentic: Bool {
    trustError == nil && damage.isEmpty && sealedRecordCount == 0 && keys.ring.user != nil
  }
}

/// The sealed keys of a vault: the user key in the slots, and others under it, the device key or
/// both.
struct KeyTable: Sendable {
  static let idSize = 16
  /// The maximum number of slots, because unlocking may have to try all of them.
  static let slotLimit = 64
  /// The maximum number of earlier generations for which a table has a tag.
  static let linkLimit = 8
  /// The maximum number of keys, which exceeds what any rotation needs.
  static let keyLimit = 256
  /// The maximum total work of all passphrase slots, in bytes: memory times passes.
  static let workLimit: UInt64 = 32 << 30

  /// The sealer of the vault.
  let sealer: VaultSealer
  var slots: [KeySlot] = []
  var keys: [SealedKey] = []
  /// The sequence of the last record that was written with the log; 0 if a later table states it.
  var end: UInt64 = 0
  /// The end of the log that the records before this table replaced; only in a compaction's last.
  var replaced: (sequence: UInt64, digest: ArraySlice<UInt8>)?
  /// Sections of newer versions.
  var unknown: [(tag: UInt8, bytes: ArraySlice<UInt8>)] = []

  var vaultID: [UInt8] { sealer.vaultID }

  var hasPassphrase: Bool { slots.contains { $0.kind.cost != nil } }

  var hasDevice: Bool { slots.contains { $0.kind == .device } }

  var work: UInt64 { slots.reduce(0) { $0 + $1.work } }

  /// The generation of the keys: the identifier of the newest attributes key.
  var generation: UInt32? { key(for: .attributes)?.id }

  /// The identifiers of the keys that are the same in all tables of a file.
  var fileKeys: [UInt32?] { [generation, key(for: .alwaysAttributes)?.id] }

  /// Returns the newest key with a purpose, which seals new data.
  func key(for purpose: KeyPurpose) -> SealedKey? {
    keys.last { $0.purpose == purpose }
  }

  func slot(_ id: UInt32) throws(SecretStoreError) -> KeySlot {
    guard let slot = slots.first(where: { $0.id == id }) else {
      throw .invalid("The vault has no slot \(id)")
    }
    return slot
  }

  func passphraseSlot(_ id: UInt32?) throws(SecretStoreError) -> KeySlot {
    let found = slots.filter { $0.kind.cost != nil && $0.id == id ?? $0.id }
    if found.count > 1 {
      throw .invalid("The vault has \(found.count) passphrases: specify the slot of one of them")
    }
    guard let slot = found.first else {
      throw .invalid("The vault has no passphrase" + (id.map { " in slot \($0)" } ?? ""))
    }
    return slot
  }

  mutating func replaceSlot(with slot: KeySlot) {
    slots = slots.map { $0.id == slot.id ? slot : $0 }
  }
}

extension KeyTable {
  private enum Tag: UInt8 {
    case slot = 1
    case key = 2
    case end = 16
    case replaced = 17
  }

  var encoded: [UInt8] {
    var bytes = vaultID
    for slot in slots { bytes.append(Tag.slot.rawValue, counted: slot.encoded) }
    for key in keys { bytes.append(Tag.key.rawValue, counted: key.encoded) }
    bytes.append(Tag.end, end)
    if let replaced {
      bytes.append(Tag.replaced.rawValue)
      bytes.append(littleEndian: UInt32(8 + replaced.digest.count))
      bytes.append(littleEndian: replaced.sequence)
      bytes += replaced.digest
    }
    for section in unknown { bytes.append(section.tag, counted: section.bytes) }
    return bytes
  }

  init(decoding bytes: ArraySlice<UInt8>, _ cipher: any SecretCipher) throws(MalformedRecord) {
    var reader = RecordReader(bytes)
    sealer = VaultSealer(vaultID: Array(try reader.bytes(Self.idSize)), cipher: cipher)
    var end: UInt64?
    while !reader.isAtEnd {
      let tag: UInt8 = try reader.integer()
      let section = try reader.countedBytes()
      var content = RecordReader(section)
      switch Tag(rawValue: tag) {
      case .slot:
        slots.append(try KeySlot(decoding: section))
      case .key:
        if let key = try SealedKey(decoding: section) {
          keys.append(key)
        } else {
          unknown.append((tag, section))
        }
      case .end:
        guard end == nil else { throw MalformedRecord() }
        end = try content.integer()
      case .replaced:
        replaced = (sequence: try content.integer(), digest: try content.bytes(32))
      case nil:
        unknown.append((tag, section))
      }
      guard slots.count <= Self.slotLimit, keys.count <= Self.keyLimit else {
        throw MalformedRecord()
      }
    }
    guard let end, end < RecordHeader.sequences.upperBound else { throw MalformedRecord() }
    self.end = end
  }

  /// Returns the user key from the first slot that a key opens; `check` cancels by throwing.
  func open(
    with key: SlotKey, otherwise wrongKeyError: SecretStoreError = .wrongPassphrase,
    checking check: () throws(SecretStoreError) -> Void = {}
  ) throws(SecretStoreError) -> Secret {
    var failure = wrongKeyError
    var work: UInt64 = 0
    for slot in slots {
      if key.kind.cost != nil { work += slot.work }
      guard work <= Self.workLimit else {
        // Only a forged file requires this much work.
        throw .corrupted("The passphrase slots together require an excessive amount of work")
      }
      if Cancellation.isRequestedForTask { throw .cancelled }
      try check()
      do throws(SecretStoreError) {
        if let user = try slot.open(with: key, by: sealer, checking: check) { return user }
      } catch {
        if error == .cancelled { throw error }
        // The key may still open another slot.
        failure = error
      }
    }
    throw failure
  }
}

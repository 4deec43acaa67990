import CipherSupport
import Testing

@testable import SecretStorage

// Rotations, and what the keys before them open.
/// All keys of an unlocked vault.
struct CapturedKeys {
  let table: KeyTable
  let user: Secret
  /// The keys of the table by number.
  let keys: [UInt32: Secret]

  init(_ object: SecretVault) throws {
    let known = try object.withContents { contents throws(SecretStoreError) in contents.keys }
    table = try #require(known.table)
    user = try #require(known.ring.user)
    var keys: [UInt32: Secret] = [:]
    for key in table.keys { keys[key.id] = known.ring[key.id, for: key.purpose] }
    self.keys = keys
  }

  /// Returns the parts of a vault's bytes that the keys open.
  func openings(in bytes: [UInt8], with owner: CapturedKeys) throws -> [String] {
    var found: [String] = []
    for frame in TestVault.frames(of: bytes) {
      let payload = frame.dropFirst(Frame.overhead)
      if payload.first == RecordHeader.Kind.keys.rawValue {
        let read = try KeyTableRecord(payload, TestCipher())
        if try read.isAuthentic(user: user) { found.append("table") }
        found += read.table.keys.filter { keys[$0.id] != nil }.map { "key \($0.id)" }
      } else {
        let owned = try #require(VaultSealer.attributesKey(of: payload).flatMap { owner.keys[$0] })
        let entries = try #require(opened(payload, with: owned))
        for key in keys.values {
          if opened(payload, with: key) != nil { found.append("attributes") }
          for case .put(let entry) in entries where opens(entry, key) {
            found.append("secret of \(entry.identity.account ?? "")")
          }
        }
      }
    }
    return found
  }

  private func opened(_ payload: ArraySlice<UInt8>, with key: Secret) -> [ItemEntry]? {
    try? VaultSealer(vaultID: table.vaultID, cipher: TestCipher())
      .openItems(LogRecord(payload: payload, digest: []), with: key).entries
  }

  private func opens(_ entry: VaultItem, _ key: Secret) -> Bool {
    let opened = try? entry.secret.open(
      of: entry.id, with: entry.secret.recordKey(from: key, TestCipher()), by: table.sealer)
    return opened != nil
  }
}

extension SecretVault {
  /// Adds items at once, of each accessibility without a passphrase, or of each portable one.
  func addMany(_ count: Int, isPortable: Bool = false) throws(SecretStoreError) {
    let location = try location
    let accessibilities = Accessibility.allCases.filter {
      $0 != .whenPasscodeSetThisDeviceOnly && (!isPortable || KeyPurpose.secrets($0).isPortable)
    }
    let draft = try withContents { contents throws(SecretStoreError) in
      var draft = try VaultDraft(contents, location.device)
      for number in 0..<count {
        let accessibility = accessibilities[number % accessibilities.count]
        let write = VaultWrite.add(
          Secret("value \(number)".utf8),
          identity: .generic(service: "campaign", account: "\(number)"),
          attributes: ItemAttributes(accessControl: AccessControl(accessibility)))
        _ = try write.prepare(&draft, &contents)
      }
      return draft
    }
    let position = try location.log.withWriterLock { append throws(SecretStoreError) in
      try append(draft.composer.records, draft.position)
    }
    acknowledge(draft, endingAt: position, location)
  }

  /// The values that ``addMany(_:)`` adds.
  static func many(_ count: Int) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", "value \($0)") })
  }

  /// Rotates the keys, and keeps the slot of the tests' passphrase, if there is one.
  func rotate(
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws {
    try rotateKeys(keeping: hasPassphrase ? [.tests] : [], reporting: report)
  }

  /// Rotates the keys, and cancels after a number of items.
  func rotateKeys(keeping keys: [UnlockKey] = [], givingUpAt limit: Int) throws {
    do {
      try rotateKeys(keeping: keys) { $0.completed >= limit ? .cancel : .proceed }
      Issue.record("The rotation is not cancelled.")
    } catch SecretStoreError.cancelled {}
  }
}

extension TestVault {
  /// Returns a vault's bytes with other key tables, whose tags are now wrong.
  static func changingTables(
    of bytes: [UInt8], _ change: (Int, inout KeyTable) -> Void
  ) throws -> [UInt8] {
    var frames = frames(of: bytes)
    for index in frames.indices {
      let payload = frames[index].dropFirst(Frame.overhead)
      guard payload.first == RecordHeader.Kind.keys.rawValue else { continue }
      var table = try KeyTableRecord(payload, TestCipher()).table
      change(index, &table)
      // Header, salt, predecessor and start precede the table; the tags follow it.
      var record = Array(payload.prefix(RecordHeader.size + 32 + 16 + 8))
      var reader = RecordReader(payload.dropFirst(record.count))
      _ = try reader.countedBytes()
      record.append(counted: table.encoded)
      frames[index] = try frame(of: record + reader.remaining)
    }
    return try file(of: frames)
  }
}

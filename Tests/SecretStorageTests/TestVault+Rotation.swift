import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// All that an unlocked vault has of keys.
struct CapturedKeys {
  let table: KeyTable
  let user: Secret
  /// The keys of the table, by their numbers.
  let keys: [UInt32: Secret]

  init(_ object: SecretVault) throws {
    let known = try object.withContents { contents throws(SecretStoreError) in contents.keys }
    table = try #require(known.table)
    user = try #require(known.ring.user)
    var keys: [UInt32: Secret] = [:]
    for key in table.keys { keys[key.id] = known.ring[key.id, for: key.purpose] }
    self.keys = keys
  }

  /// What of a vault's bytes the keys are good for.
  func openings(in bytes: [UInt8], with owner: CapturedKeys) throws -> [String] {
    var found: [String] = []
    for frame in TestVault.frames(of: bytes) {
      let payload = frame.dropFirst(Frame.overhead)
      if payload.first == RecordHeader.Kind.keys.rawValue {
        let read = try VaultRecord.Keys(payload)
        if try read.isAuthentic(user: user, OpenSSLCipher()) { found.append("table") }
        found += read.table.keys.filter { keys[$0.id] != nil }.map { "key \($0.id)" }
      } else {
        let owned = try #require(owner.keys[try VaultRecord.attributesKey(of: payload)])
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
    do {
      return try VaultRecord(vaultID: table.vaultID, cipher: OpenSSLCipher())
        .openItems(payload, with: key).entries
    } catch {
      return nil
    }
  }

  private func opens(_ entry: VaultItem, _ key: Secret) -> Bool {
    let secret = entry.secret
    do {
      _ = try secret.open(
        of: entry.id, with: secret.recordKey(from: key, OpenSSLCipher()), in: table.vaultID,
        OpenSSLCipher())
      return true
    } catch {
      return false
    }
  }
}

extension SecretVault {
  /// Adds as many items at once, of each accessibility that a vault without a passphrase takes.
  func addMany(_ count: Int) throws(SecretStoreError) {
    let parts = try parts
    let accessibilities = Accessibility.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly }
    let draft = try withContents { contents throws(SecretStoreError) in
      var draft = try VaultDraft(contents, parts.device)
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
    let position = try parts.log.append(draft.records, after: draft.position)
    acknowledge(draft, endingAt: position, parts)
  }

  /// What ``addMany(_:)`` added.
  static func many(_ count: Int) -> [String: String] {
    var texts: [String: String] = [:]
    for number in 0..<count { texts["\(number)"] = "value \(number)" }
    return texts
  }

  /// Rotates the keys, and gives up when so many items are done.
  func rotateKeys(keeping keys: [UnlockKey] = [], givingUpAt limit: Int) throws(SecretStoreError) {
    do {
      try rotateKeys(keeping: keys) { $0.completed >= limit ? .cancel : .proceed }
      Issue.record("The rotation is not cancelled.")
    } catch {
      if error != .cancelled { throw error }
    }
  }
}

extension TestVault {
  /// A vault's bytes with other tables of keys, whose tags are not right any more.
  static func changingTables(
    of bytes: [UInt8], _ change: (Int, inout KeyTable) -> Void
  ) throws -> [UInt8] {
    var frames = frames(of: bytes)
    for index in frames.indices {
      let payload = frames[index].dropFirst(Frame.overhead)
      guard payload.first == RecordHeader.Kind.keys.rawValue else { continue }
      var table = try VaultRecord.Keys(payload).table
      change(index, &table)
      // Header, salt, predecessor and start stand before the table, the tag behind.
      var record = Array(payload.prefix(RecordHeader.count + 32 + 16 + 8))
      record.append(counted: table.encoded)
      frames[index] = try frame(of: record + payload.suffix(16))
    }
    return try file(of: frames)
  }
}

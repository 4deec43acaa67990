/// One generation of a vault's keys, from a rotation to the next.
struct KnownGeneration: Hashable, Sendable {
  let vaultID: [UInt8]
  /// A digest of the generation's link key, which reveals nothing else about the key.
  let fingerprint: [UInt8]

  static let fingerprintCount = 16
}

extension VaultKeys {
  /// Adopts a table with the keys that open it; leaves everything unchanged on an error.
  ///
  /// The user key proves a table if it opens what the device's secret opens. The generation's link
  /// key, which that secret opens, proves it too. Other tables stay candidates until the vault is
  /// unlocked. A table must continue the generations that this object and the machine know.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)`` when a tag is wrong.
  mutating func adopt(
    _ read: KeyTableRecord, from device: DeviceState, remembered: [UInt8]?,
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    var new = self
    if !isLockedByApp, ring.user == nil { try new.openUnattended(read.table, device, cipher) }
    try new.ring.open(read.table, cipher)
    let link = try new.ring.linkKey(of: read.table, cipher)
    var isAuthentic = true
    if let user = new.ring.user {
      isAuthentic = try read.isAuthentic(user: user, cipher)
      if isAuthentic {
        isAuthentic = try new.ring.agrees(with: user, on: read.table, cipher) != false
      }
    }
    if read.isLinked, let link, isAuthentic { isAuthentic = try read.isLinked(to: link, cipher) }
    let isProven = new.ring.user != nil || read.isLinked && link != nil
    guard isAuthentic, isProven || table == nil || unproven != nil else {
      throw .corrupted("A table of keys is not authentic")
    }
    new.table = read.table
    new.unproven = isProven ? nil : read
    new.isOfVersion1 = !read.isLinked
    if isProven || !read.isLinked {
      let own = known?.vaultID == read.table.vaultID ? known?.fingerprint : nil
      for fingerprint in Set([own, remembered].compactMap(\.self))
      where fingerprint != RememberedVault.Keys.noGeneration && !new.isDetached {
        new.isDetached = try !new.ring.goesOn(read, from: fingerprint, cipher)
      }
    }
    if isProven, read.isLinked, !new.isDetached { try new.noteGeneration(cipher) }
    self = new
  }

  /// Stores the generation of the table as the known one.
  mutating func noteGeneration(_ cipher: any SecretCipher) throws(SecretStoreError) {
    guard let table, let link = try ring.linkKey(of: table, cipher) else { return }
    known = KnownGeneration(
      vaultID: table.vaultID, fingerprint: try link.fingerprint(by: table.sealer(cipher)))
  }

  /// Checks that the user key of a slot is the vault's own, if the table is not proven.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)`` when it is not; ``SecretStoreError/locked`` when
  ///   no key in memory can decide it.
  func confirm(user: Secret, _ cipher: any SecretCipher) throws(SecretStoreError) {
    guard let unproven else { return }
    guard try unproven.isAuthentic(user: user, cipher),
      let agrees = try ring.agrees(with: user, on: unproven.table, cipher)
    else { throw .locked }
    if !agrees { throw .corrupted("The table of keys is another's: its slots open other keys") }
  }
}

extension KeyRing {
  /// Returns the keys that tag a table, the key of its own generation last.
  func linkKeys(
    of table: KeyTable, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> [TableKey] {
    let earlier = table.keys.filter { $0.purpose == .earlierTables }.compactMap { self[$0] }
    return earlier + [try linkKey(of: table, cipher)].compactMap(\.self)
  }

  /// Returns the link key of a table's own generation; nil if no key in memory opens it.
  fileprivate func linkKey(
    of table: KeyTable, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> TableKey? {
    guard let key = table.key(for: .alwaysAttributes).flatMap({ self[$0] }) else { return nil }
    return TableKey(
      id: key.id,
      secret: try cipher.deriveKey(
        from: key.secret, salt: table.vaultID[...], purpose: "locket continuity"))
  }

  /// Returns whether a table has the generation of a fingerprint, or a valid tag that continues it.
  fileprivate func goesOn(
    _ read: KeyTableRecord, from fingerprint: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Bool {
    let sealer = read.table.sealer(cipher)
    for link in try linkKeys(of: read.table, cipher)
    where try link.fingerprint(by: sealer) == fingerprint {
      return try read.isLinked(to: link, cipher)
    }
    return false
  }

  /// Returns whether a user key opens the keys in memory that it seals; nil if there are none.
  fileprivate func agrees(
    with user: Secret, on table: KeyTable, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Bool? {
    var found: Bool?
    for key in table.keys {
      guard let known = self[key.id, for: key.purpose] else { continue }
      for copy in key.copies where copy.wrapping == .user {
        guard try key.open(copy, with: user, by: table.sealer(cipher)) == known else {
          return false
        }
        found = true
      }
    }
    return found
  }
}

extension TableKey {
  /// Returns a digest that identifies a link key's generation, and reveals nothing else about it.
  fileprivate func fingerprint(by sealer: VaultSealer) throws(SecretStoreError) -> [UInt8] {
    let derived = try sealer.cipher.deriveKey(
      from: secret, salt: sealer.vaultID[...], purpose: "locket generation")
    return unsafe derived.withUnsafeBytes {
      unsafe Array($0.prefix(KnownGeneration.fingerprintCount))
    }
  }
}

extension VaultKeys {
  /// Adopts a key table and opens its keys; on an error, such as an invalid tag, nothing changes.
  ///
  /// A table is proven by a valid tag under the user key, or under its generation's link key, which
  /// the device's secret opens. Other tables remain candidates until the vault is unlocked. A table
  /// must also continue the generations that this object and this machine have recorded.
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
        isAuthentic = try new.ring.matches(user: user, on: read.table, cipher) != false
      }
    }
    if read.isLinked, let link, isAuthentic { isAuthentic = try read.isLinked(to: link, cipher) }
    let isProven = new.ring.user != nil || read.isLinked && link != nil
    guard isAuthentic, isProven || table == nil || unproven != nil else {
      throw .corrupted("A key table is not authentic")
    }
    new.table = read.table
    new.unproven = isProven ? nil : read
    new.isOfVersion1 = !read.isLinked
    if isProven || !read.isLinked {
      let own = lastGeneration?.vaultID == read.table.vaultID ? lastGeneration?.fingerprint : nil
      for fingerprint in Set([own, remembered].compactMap(\.self))
      where fingerprint != RememberedVault.Keys.noGeneration && !new.isDetached {
        new.isDetached = try !new.ring.isContinuation(read, of: fingerprint, cipher)
      }
    }
    if isProven, read.isLinked, !new.isDetached { try new.recordGeneration(cipher) }
    self = new
  }

  /// Records the generation of the current key table, if its link key is available.
  mutating func recordGeneration(_ cipher: any SecretCipher) throws(SecretStoreError) {
    guard let table, let link = try ring.linkKey(of: table, cipher) else { return }
    lastGeneration = KeyGeneration(
      vaultID: table.vaultID, fingerprint: try link.fingerprint(by: table.sealer(cipher)))
  }

  /// Checks that the user key from a slot belongs to this vault, if the table is not proven.
  ///
  /// Throws `corrupted` if it does not, or `locked` if no key in memory can verify it.
  func confirm(user: Secret, _ cipher: any SecretCipher) throws(SecretStoreError) {
    guard let unproven else { return }
    guard try unproven.isAuthentic(user: user, cipher),
      let matches = try ring.matches(user: user, on: unproven.table, cipher)
    else { throw .locked }
    if !matches {
      throw .corrupted("The key table does not belong to this vault: its slots open other keys")
    }
  }
}

// Earlier versions named items by a generator that repeats itself where no file can be opened, so
// that an item could take the place of another one. The log has both until it is written anew.
extension VaultContents {
  /// What happened to the items that were overwritten, for messages.
  var overwrittenDescriptions: [String] {
    overwritten.values.map {
      "an item of the name \($0.id.bytes), which another one of the same name has overwritten"
    }.sorted()
  }

  /// Gives the items that were overwritten names of their own, so that they are in the vault again.
  ///
  /// A repair leaves out those whose key is not here, as it keeps the file; nothing else may lose
  /// them.
  mutating func restoreOverwritten(isRepair: Bool) throws(SecretStoreError) {
    guard !overwritten.isEmpty, let table = keys.table else { return }
    for entry in overwritten.values.sorted(by: { $0.created < $1.created }) {
      let payload: Secret
      do {
        payload = try self.payload(of: entry)
      } catch {
        switch error {
        case .corrupted: continue
        case .otherDevice where isRepair: continue
        default: throw error
        }
      }
      let id = try SecretItem.ID.unused { index[$0] != nil }
      let (key, secretKey) = try keys.secretKey(for: entry.secret.accessibility)
      let sealed = try entry.sealing(
        payload, as: id, revision: entry.revision, under: key, secretKey, in: table.vaultID, cipher)
      index.put(entry.copy(as: id, revision: entry.revision, with: sealed))
    }
    overwritten = [:]
  }
}

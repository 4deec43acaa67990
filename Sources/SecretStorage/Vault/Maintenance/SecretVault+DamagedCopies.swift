import Concurrency
public import FoundationEssentials

extension SecretVault {
  /// The files that repairs have replaced, the oldest first.
  ///
  /// Each is beside the vault, holds the content that could not be read, and opens with the keys
  /// that opened the vault then: changing a passphrase, removing a slot and rotating the keys do
  /// not affect it.
  ///
  /// - Throws: ``SecretStoreError``, if the vault's directory cannot be read.
  public var damagedCopies: [URL] {
    get throws { try parts.log.keptAside.map { URL(filePath: $0) } }
  }

  /// Removes the files that repairs have replaced, and returns those that it removed.
  ///
  /// They may be the only copies of content that the repairs could not read, so nothing else
  /// removes them. An app cannot erase the traces of removed files from the storage medium.
  ///
  /// - Throws: ``SecretStoreError/busy(path:holder:)`` when another process kept writing to the
  ///   vault, or the error of removing a file. Some files may then be removed.
  @discardableResult
  public func removeDamagedCopies() throws -> [URL] {
    let log = try parts.log
    let names = try log.keptAside
    try log.removeKeptAside(names)
    return names.map { URL(filePath: $0) }
  }

  /// Reports, on this thread, the files that open with keys that no longer open the vault.
  ///
  /// No lock is held, so that a handler may use this vault.
  func reportDamagedCopies() {
    let report = Fork.isChild ? SecretStores.reportInForkedChild : SecretStores.onFailure
    do {
      for name in try parts.log.keptAside {
        let reason = """
          was kept by a repair, and still opens with the vault's keys of that time: save its \
          items, then remove it with removeDamagedCopies()
          """
        report(PasswordFailure(.maintenance, .insecure(path: name, reason: reason)))
      }
    } catch {
      report(PasswordFailure(.maintenance, error))
    }
  }
}

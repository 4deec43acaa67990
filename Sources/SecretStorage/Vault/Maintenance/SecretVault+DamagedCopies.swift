import Concurrency
public import FoundationEssentials

extension SecretVault {
  /// The damaged files that repairs have replaced, with the oldest first.
  ///
  /// They are in the vault's directory, and may contain content that could not be recovered. Keys
  /// from the time of the repair still open them, regardless of later changes to slots and keys.
  ///
  /// - Throws: ``SecretStoreError`` if the vault's directory cannot be read.
  public var damagedCopies: [URL] {
    get throws { try location.log.damagedCopies.map { URL(filePath: $0) } }
  }

  /// Removes the damaged files that repairs have replaced, and returns their URLs.
  ///
  /// The files are never removed automatically, because they may be the only copies of content that
  /// could not be recovered. Traces of removed files may remain on the storage medium.
  ///
  /// - Throws: ``SecretStoreError/busy(path:holder:)`` if another process keeps writing to the
  ///   vault, or the error of removing a file. Some files may already be removed.
  @discardableResult
  public func removeDamagedCopies() throws -> [URL] {
    let log = try location.log
    let names = try log.damagedCopies
    try log.removeDamagedCopies(names)
    return names.map { URL(filePath: $0) }
  }

  /// Reports files kept by repairs; the caller must not hold a lock, because handlers may use the
  /// vault.
  func reportDamagedCopies() {
    let report = Fork.isChild ? SecretStores.reportInForkedChild : SecretStores.onFailure
    do {
      for name in try location.log.damagedCopies {
        let reason = """
          was kept by a repair and can still be opened with the keys from that time: save its \
          items, then remove it with removeDamagedCopies()
          """
        report(SecretStorageFailure(.maintenance, .insecure(path: name, reason: reason)))
      }
    } catch {
      report(SecretStorageFailure(.maintenance, error))
    }
  }
}

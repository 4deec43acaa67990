import CLibrary
import StorageInternals

// The opening of a file by a passphrase alone, such as an export or the vault of another machine.
extension VaultContents {
  /// Opens a complete and intact file with a passphrase.
  ///
  /// `check`, which is called before each slot and in key derivations, cancels by throwing.
  init(
    importing path: String, passphrase: Secret, _ device: DeviceState,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    let log = FileRecordLog(path: path, cipher: device.cipher, fileSystem: device.fileSystem)
    // Opened without blocking, because it may be a FIFO. Any user may own it: the passphrase
    // authenticates it.
    let file = try mapErrors(log.fileSystem.open(path, O_RDONLY | O_NONBLOCK))
    let status = try mapErrors(file.status())
    guard status.isRegularFile else { throw .insecure(path: path, reason: "is not a regular file") }
    try log.checkSize(status)
    let changes = try log.read(file, status)
    guard let table = changes.newestTable(device.cipher) else {
      throw .corrupted("\(path) has no intact key table")
    }
    guard table.hasPassphrase else {
      throw .invalid("\(path) has no slot for a passphrase, so it cannot be imported")
    }
    self.init(cipher: device.cipher)
    keys.ring.adapt(to: table)
    // One that no new slot may have, such as an empty one, is wrong as any other.
    keys.ring.user = try table.open(with: .passphrase(passphrase), checking: check)
    try apply(changes, nil)
    var lost = damage.places
    // A torn frame is not damage: it remains from an interrupted write that was not acknowledged.
    if let tail = changes.tail, !tail.isTorn { lost.append(tail.place) }
    lost += [interruptedWrite?.place, missingEnd].compactMap(\.self)
    if !lost.isEmpty {
      throw .corrupted("\(path) is damaged, so nothing is imported: \(lost.summary)")
    }
    if sealedRecordCount > 0 { throw .newerFormat(path) }
  }
}

import CLibrary
import TestSupport
import Testing

@testable import SecretStorage

/// A vault on a full or read-only disk.
@Suite(.enabled(if: MountedDirectory.isPossible, "Only root can mount a small file system."))
struct VaultFullDiskTests {
  private let directory = TestVault()

  private func vault(in mount: MountedDirectory) -> SecretVault {
    directory.open(at: "\(mount.path)/data/secrets.vault", state: "\(mount.path)/state")
  }

  /// Larger than the rest of the last page, so that a part is written.
  private let large = String(repeating: "x", count: 20_000)

  @Test(arguments: [ENOSPC, EROFS])
  func vaultOnAFullOrReadOnlyDiskIsReadable(_ code: Int32) throws {
    let mount = try MountedDirectory(directory.path("disk"), "size=256k")
    let object = vault(in: mount)
    try object.add("value", account: "a")
    if code == ENOSPC { try mount.fill() } else { try mount.remount(readOnly: true) }
    for reader in [object, vault(in: mount), object, vault(in: mount)] {
      try reader.expectSound(["a": "value"])
      expectError("system \(code)") { try reader.add(large, account: "b") }
      expectError("system \(code)") { try reader.compact() }
      try reader.expectSound(["a": "value"])
    }
    if code == ENOSPC { try mount.makeRoom() } else { try mount.remount(readOnly: false) }
    try object.add(large, account: "b")
    try vault(in: mount).expectSound(["a": "value", "b": large])
  }

  @Test func removalsSucceedOnAFullDisk() throws {
    let mount = try MountedDirectory(directory.path("disk"), "size=512k")
    let object = vault(in: mount)
    let accounts = (0..<30).map { "account \($0)" }
    for account in accounts { try object.add("value", account: account) }
    for account in accounts {
      try mount.fill()
      expectError("system \(ENOSPC)") { try object.add(large, account: "new") }
      try object.remove(account)
    }
    try vault(in: mount).expectSound([:])
    try mount.makeRoom()
    try object.add("value", account: "new")
    #expect(try content(of: "\(mount.path)/data/secrets.vault.reserve").count == 64 * 1024)
  }

  @Test func fullDiskSplitsBatchesOfMixedWrites() throws {
    let mount = try MountedDirectory(directory.path("disk"), "size=512k")
    let object = vault(in: mount)
    for number in 0..<40 { try object.add("value", account: "\(number)") }
    try mount.fill()
    try onThreads(8) { [large] thread in
      for round in 0..<5 {
        let account = "\(thread * 5 + round)"
        if thread % 2 == 0 {
          try object.remove(account)
        } else {
          expectError("system \(ENOSPC)") { try object.add(large, account: "new \(account)") }
        }
      }
    }
    let left = try object.texts()
    #expect(left.count == 20)
    #expect(try vault(in: mount).texts() == left)
  }

  @Test func slotsAreRemovedOnAFullDisk() throws {
    let mount = try MountedDirectory(directory.path("disk"), "size=512k")
    let object = vault(in: mount)
    try object.add("value", account: "a")
    let slot = try object.addSlot(.passphrase("passphrase"), named: "person", cost: .cheap)
    try mount.fill()
    try object.removeSlot(slot.id)
    #expect(try vault(in: mount).slots.map(\.kind) == [.device])
    try mount.fill()
    try object.setPassphrase("passphrase", cost: .cheap)
    let other = vault(in: mount)
    #expect(try other.isLocked)
    try other.unlock(with: .passphrase("passphrase"))
    #expect(try other.texts() == ["a": "value"])
  }
}

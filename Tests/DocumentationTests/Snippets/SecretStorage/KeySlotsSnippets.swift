import CLibrary
import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

/// The code of the article "Key slots".
final class KeySlotsSnippets: DirectoryTests {
  private let passphrase = "The Valley Wind"
  private var vault: SecretVault { directory.vault() }

  @Test func slotsAreAddedAndListed() throws {
    let vault = vault
    let stick = directory.url.appending(path: "key")
    try vault.addSlot(.device, named: "this device")
    try Data(repeating: 7, count: 32).write(to: stick)

    try vault.addSlot(.passphrase(Secret(passphrase.utf8)), named: "Chihiro")
    try vault.addSlot(.keyFile(stick), named: "stick in the safe")
    for slot in try vault.slots {
      print(slot.id, slot.name, slot.kind)
    }
    #expect(try vault.slots.map(\.id) == [1, 2, 3])

    vault.lock()
    try vault.unlock(with: .keyFile(stick))
    #expect(try !vault.isLocked)

    let newPassphrase = "The Sixth Station"
    try vault.changePassphrase(from: Secret(passphrase.utf8), to: Secret(newPassphrase.utf8))
    try vault.unlock(with: .passphrase(Secret(newPassphrase.utf8)))
  }

  @Test func serviceMakesItsVault() async {
    // The environment belongs to the whole process.
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let credentials = directory.url.appending(path: "credentials")
      try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
      try Data(repeating: 7, count: 32).write(to: credentials.appending(path: "vault-key"))
      // No other thread of the process reads the environment.
      #expect(unsafe setenv("CREDENTIALS_DIRECTORY", credentials.path, 1) == 0)
      for _ in 0..<2 {
        let vault = directory.vault()
        if try vault.slots.isEmpty {
          try vault.addSlot(.credential(named: "vault-key"), named: "systemd")
          for slot in try vault.slots where slot.kind == .device {
            try vault.removeSlot(slot.id)
          }
        }
        #expect(try vault.slots.map(\.kind) == [.credential(named: "vault-key")])
        #expect(try !vault.isLocked)
      }
    }
  }

  @Test func recoveryCodesAreShownOnce() throws {
    let vault = vault
    let (slot, code) = try vault.addRecoveryCode(named: "paper in the drawer")
    code.withText { text in
      print("Write this down, it is not shown again:", text)
    }
    #expect(slot.kind == .recoveryCode)

    for isRight in [true, false] {
      let typed = code.withText { isRight ? $0 : String($0.dropLast()) }
      vault.lock()
      do {
        try vault.unlock(with: .recoveryCode(RecoveryCode(typed)))
      } catch SecretStoreError.invalid(let what) {
        print(what)  // The recovery code was mistyped: …
      } catch SecretStoreError.wrongKey {
        print("That is the code of another vault, or one that was removed.")
      }
      #expect(try vault.isLocked != isRight)
    }
  }
}

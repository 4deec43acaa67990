import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// The limits of names and sizes.
struct VaultLimitTests {
  private let vault = TestVault()

  @Test func unusualNamesAreKept() throws {
    let object = vault.open()
    for name in [
      "line\nbreak", "a/b/../c", "zero\0byte", String(repeating: "n", count: 10_000), "", " ", "é",
      "\u{301}", "🗝️",
    ] {
      let identity = ItemIdentity.generic(service: name, account: name)
      let added = try object.add(
        "value", identity: identity, attributes: ItemAttributes(label: name))
      try object.compact()
      let found = try vault.open().items(matching: .exactly(identity))
      #expect(found == [added])
      #expect(found.first?.identity.service?.utf8.elementsEqual(name.utf8) == true)
      #expect(found.first?.attributes.label?.utf8.elementsEqual(name.utf8) == true)
    }
  }

  @Test(arguments: [0, 1, 59, 60, 61, 16 << 20])
  func secretsOfEverySizeAreKept(_ count: Int) throws {
    let secret = Secret([UInt8](repeating: 0xA5, count: count))
    let object = vault.open()
    let item = try object.add(
      secret, identity: .generic(service: "s"), attributes: ItemAttributes())
    #expect(try vault.open().secret(of: item.id)?.secret == secret)
    try object.compact()
    #expect(try vault.open().secret(of: item.id)?.secret == secret)
  }

  @Test func failedWriteCreatesNoVault() throws {
    let object = vault.open()
    #expect(throws: SecretStoreError.self) { try object.setPassphrase("") }
    #expect(throws: SecretStoreError.self) {
      try object.add(
        Secret([UInt8](repeating: 0, count: (16 << 20) + 1)), identity: .generic(),
        attributes: ItemAttributes())
    }
    #expect(throws: SecretStoreError.self) {
      try object.add(
        Secret([]), identity: .generic(),
        attributes: ItemAttributes(accessControl: AccessControl(flags: .userPresence)))
    }
    #expect(throws: SecretStoreError.conflict) {
      try object.update(.random(), expecting: 1, attributes: nil, secret: Secret([]))
    }
    try object.remove(.random(), expecting: 1)
    #expect(try FileSystem().status(of: vault.path) == nil)
  }
}

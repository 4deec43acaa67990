import StorageInternals
import Testing

@testable import SecretStorage

struct VaultLimitTests {
  private let vault = TestVault()

  @Test(arguments: ["\u{E9}", "e\u{301}", "\u{301}", "zero\0byte"])
  func namesAreKeptByteForByte(_ name: String) throws {
    let object = vault.open()
    let identity = ItemIdentity.generic(service: name, account: name)
    _ = try object.add("value", identity: identity, attributes: ItemAttributes(label: name))
    try object.compact()
    let found = try #require(try vault.open().items(matching: .exactly(identity)).first)
    for kept in [found.identity.service, found.identity.account, found.attributes.label] {
      #expect(kept?.utf8.elementsEqual(name.utf8) == true)
    }
  }

  @Test(arguments: [0, 1, 59, 60, 61, 1 << 20, ItemLimits.secretSize])
  func secretsOfEverySizeAreKept(_ count: Int) throws {
    let secret = Secret([UInt8](repeating: 0xA5, count: count))
    let object = vault.open()
    let attributes = ItemAttributes()
    let item = try object.add(secret, identity: .generic(service: "s"), attributes: attributes)
    #expect(try vault.open().secret(of: item.id)?.secret == secret)
    try object.compact()
    #expect(try vault.open().secret(of: item.id)?.secret == secret)
    try object.export(of: vault)
    let other = try vault.otherMachine().open()
    try other.importItems(of: vault)
    let moved = try #require(try other.items(matching: .all).first)
    #expect(try other.secret(of: moved.id)?.secret == secret)
  }

  @Test func failedWriteCreatesNoVault() throws {
    let object = vault.open()
    let long = Secret([UInt8](repeating: 0, count: ItemLimits.secretSize + 1))
    #expect(throws: SecretStoreError.self) { try object.setPassphrase("") }
    let flagged = ItemAttributes(accessControl: AccessControl(flags: .userPresence))
    for (secret, attributes) in [(long, ItemAttributes()), ("", flagged)] {
      #expect(throws: SecretStoreError.self) {
        try object.add(secret, identity: .generic(), attributes: attributes)
      }
    }
    expectError(.conflict) {
      try object.update(.random(), expecting: 1, attributes: nil, secret: "")
    }
    try object.remove(.random(), expecting: 1)
    #expect(try FileSystem().status(of: vault.path) == nil)
  }
}

import FoundationEssentials
import Testing

@testable import SecretStorage

/// The separation of keys by purpose.
struct VaultKeyPurposeTests {
  private let vault = TestVault()

  @Test func keyHasOnePurpose() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let known = try object.withContents { contents throws(SecretStoreError) in contents.keys }
    let table = try #require(known.table)
    let purposes = table.keys.map(\.purpose)
    for key in table.keys {
      for purpose in purposes {
        #expect((known.ring[key.id, for: purpose] != nil) == (purpose == key.purpose))
      }
      let isOfAttributes = [.attributes, .alwaysAttributes].contains(key.purpose)
      #expect((known.ring.attributesKey(key.id) != nil) == isOfAttributes)
    }
  }

  /// Otherwise it would be readable while the vault is locked.
  @Test func secretUnderKeyOfOtherAccessibilityIsAnError() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let location = try object.location
    let id = try SecretItem.ID.random()
    _ = try location.log.append { () throws(SecretStoreError) in
      let contents = try object.withContents { contents throws(SecretStoreError) in contents }
      var draft = try VaultDraft(contents, location.device)
      let key = try draft.keys.secretKey(for: .always)
      let item = SecretItem(
        id: id, identity: .generic(account: "forged"), attributes: ItemAttributes(),
        creationDate: .now, modificationDate: .now, revision: draft.nextRevision)
      let sealed = try SealedSecret.seal(
        Secret([1]), of: id, revision: item.revision, accessibility: .whenUnlocked, flags: [],
        under: key, by: draft.keys.sealer(draft.cipher))
      try draft.append(
        [.put(VaultItem(item: item, secret: sealed, unknown: []))], as: .whenUnlocked)
      return (draft.records, draft.position)
    }
    #expect(throws: SecretStoreError.self) { try vault.open().secret(of: id) }
    #expect(try vault.open().text("a") == "value")
  }
}

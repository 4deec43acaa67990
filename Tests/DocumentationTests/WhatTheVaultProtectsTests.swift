import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

/// The statements of the article "What the vault protects", for and against the vault.
struct WhatTheVaultProtectsTests {
  private let directory: TemporaryDirectory
  private let identity = ItemIdentity.generic(service: "my.service", account: "peter")
  private var file: URL { directory.url.appending(path: "secrets.vault") }
  private var state: URL { directory.url.appending(path: "state") }

  init() throws { directory = try TemporaryDirectory() }

  /// The vault as a newly started process opens it.
  private var vault: SecretVault { SecretVault(fileURL: file, stateDirectory: state) }

  @discardableResult
  private func add(
    _ identity: ItemIdentity, _ accessibility: Accessibility = .whenUnlocked
  ) throws -> SecretItem {
    let attributes = ItemAttributes(accessControl: AccessControl(accessibility))
    return try vault.add(
      Secret("The Valley Wind".utf8), identity: identity, attributes: attributes)
  }

  @Test func copiedFileIsProtected() throws {
    try add(identity)
    let copy = SecretVault(
      fileURL: file, stateDirectory: directory.url.appending(path: "elsewhere"))
    #expect(throws: SecretStoreError.otherDevice("The vault")) {
      try copy.items(matching: .all)
    }
    let bytes = try Data(contentsOf: file)
    for text in ["The Valley Wind", "my.service", "peter"] {
      #expect(bytes.firstRange(of: Data(text.utf8)) == nil)
    }
  }

  @Test func alwaysNeedsNoPassphrase() throws {
    let always = ItemIdentity.generic(service: "my.service", account: "always")
    try add(identity)
    try add(always, .always)
    try vault.setPassphrase(Secret("x".utf8), cost: .minimum)
    #expect(throws: SecretStoreError.locked) { try vault.items(matching: .exactly(identity)) }
    let item = try #require(try vault.items(matching: .exactly(always)).first)
    #expect(try vault.secret(of: item.id) != nil)
  }

  @Test func lockingKeepsAttributesReadable() throws {
    let item = try add(identity)
    let kept = try add(.generic(service: "kept"), .afterFirstUnlock)
    let vault = vault
    #expect(try vault.items(matching: .all).count == 2)
    vault.lock()
    #expect(try vault.items(matching: .all).count == 2)
    #expect(try vault.secret(of: kept.id) != nil)
    #expect(throws: SecretStoreError.locked) {
      try vault.secret(of: item.id)
    }
    try vault.unlock()
    #expect(try vault.secret(of: item.id) != nil)
  }

  @Test func olderCopyIsNoticed() throws {
    try add(identity)
    let old = try Data(contentsOf: file)
    try add(.generic(service: "later"))
    try replace(by: old)
    #expect {
      try vault.items(matching: .all)
    } throws: { error in
      if case SecretStoreError.rolledBack = error { true } else { false }
    }
    try vault.acceptRollback()
    #expect(try vault.items(matching: .all).count == 1)
  }

  @Test func olderCopyIsNotNoticedWithoutTheState() throws {
    try add(identity)
    let old = try Data(contentsOf: file)
    try add(.generic(service: "later"))
    try replace(by: old)
    for name in try FileManager.default.contentsOfDirectory(atPath: state.path)
    where name.hasSuffix(".state") {
      try FileManager.default.removeItem(at: state.appending(path: name))
    }
    #expect(try vault.items(matching: .all).count == 1)
  }

  @Test func anotherVaultIsNoticed() throws {
    try add(identity)
    let first = try Data(contentsOf: file)
    try FileManager.default.removeItem(at: file)
    try add(identity)
    try replace(by: first)
    #expect {
      try vault.items(matching: .all)
    } throws: { error in
      if case SecretStoreError.replaced = error { true } else { false }
    }
    try vault.acceptReplacement()
    #expect(try vault.items(matching: .all).count == 1)
  }

  @Test func missingVaultWithPassphraseIsAnError() throws {
    try vault.setPassphrase(Secret("x".utf8), cost: .minimum)
    try FileManager.default.removeItem(at: file)
    for access in [{ _ = try vault.items(matching: .all) }, { try add(identity) }] {
      #expect {
        try access()
      } throws: { error in
        if case SecretStoreError.replaced = error { true } else { false }
      }
    }
    try vault.acceptReplacement()
    try add(identity)
  }

  @Test func missingVaultOfADeviceIsReplaced() throws {
    try add(identity)
    try FileManager.default.removeItem(at: file)
    let vault = vault
    #expect(try vault.items(matching: .all).isEmpty)
    #expect(!vault.diagnose().isHealthy)
    try add(identity)
    #expect(vault.diagnose().isHealthy)
  }

  private func replace(by content: Data) throws {
    try content.write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }
}

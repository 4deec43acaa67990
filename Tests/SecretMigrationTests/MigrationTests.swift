import FoundationEssentials
import SecretStorage
import StorageInternals
import TestSupport
import Testing

@testable import SecretMigration

final class MigrationTests: DirectoryTests {
  private var file: URL { URL(filePath: directory(".env")) }

  private func open() -> SecretVault {
    SecretVault(fileURL: URL(filePath: directory("secrets.vault")), stateDirectory: directory.url)
  }

  private func variables(_ text: String) throws -> ForeignSecrets {
    try .environmentFile(at: write(Array(text.utf8), to: directory(".env")), service: "app")
  }

  private var sourceExists: Bool { get throws { try FileSystem().status(of: file.path) != nil } }

  @Test func dryRunChangesNothing() throws {
    try variables("A=1").migrate(to: open())
    let before = try content(of: directory("secrets.vault"))
    let source = try variables("A=2\nB=1")
    let plan = try source.migrate(to: open(), replacing: true, isDryRun: true, removingSource: true)
    #expect(plan.entries.map(\.outcome) == [.conflict, .added])
    #expect(!plan.isSourceRemoved)
    #expect(try sourceExists)
    #expect(try content(of: directory("secrets.vault")) == before)
    #expect(try source.migrate(to: open(), replacing: true) == plan && sourceExists)
  }

  @Test func otherAttributesAreAConflict() throws {
    let store = InMemorySecretStore()
    try variables("A=1").migrate(to: store)
    let labeled = ForeignSecret(
      position: "1", identity: .generic(service: "app", account: "A"),
      attributes: ItemAttributes(label: "A"), secret: Secret("1"))
    let source = ForeignSecrets([labeled])
    #expect(try source.migrate(to: store).identities(.conflict).count == 1)
    try source.migrate(to: store, replacing: true)
    #expect(store.items(matching: .all).map(\.attributes.label) == ["A"])
  }

  @Test func secretThatTheStoreRefusesIsReported() throws {
    let identity = ItemIdentity.generic(service: "app")
    let source = ForeignSecrets([
      ForeignSecret(
        position: "1", identity: identity,
        attributes: ItemAttributes(accessControl: AccessControl(.whenPasscodeSetThisDeviceOnly)),
        secret: Secret("1")),
      ForeignSecret(position: "2", identity: .generic(account: "a"), secret: Secret("2")),
      ForeignSecret(position: "3", identity: .generic(account: "a"), secret: Secret("3")),
      ForeignSecret(
        position: "4", identity: .generic(account: "b"),
        attributes: ItemAttributes(comment: String(repeating: "x", count: 65_536)),
        secret: Secret("4")),
    ])
    // Makes the vault, which then has no passphrase.
    try variables("A=1").migrate(to: open())
    for isDryRun in [true, false] {
      let report = try source.migrate(to: open(), isDryRun: isDryRun)
      #expect(report.identities(.added) == [.generic(account: "a")])
      #expect(report.entries.map(\.outcome.isRefusal) == [true, false, true, true])
    }
    #expect(try open().texts() == ["A": "1", "a": "2"])
  }

  @Test func namesMayHaveZeroBytesAndNewlines() throws {
    let identities: [ItemIdentity] = [
      .generic(service: "a\0b", account: "c"), .generic(service: "a", account: "b\0c"),
      .generic(service: "a\r\nb", account: "\u{FEFF}c"),
    ]
    let source = ForeignSecrets(
      identities.map { ForeignSecret(position: "1", identity: $0, secret: Secret("\0")) })
    #expect(try source.migrate(to: open()).identities(.added) == identities)
    #expect(try source.migrate(to: open()).identities(.identical) == identities)
  }

  @Test func lockedVaultIsAnError() throws {
    let vault = open()
    try vault.setPassphrase(Secret("totoro"), cost: .minimum)
    vault.lock()
    let source = try variables("A=1")
    #expect(throws: MigrationError.store(.locked("its passphrase"))) {
      try source.migrate(to: vault, removingSource: true)
    }
    #expect(try sourceExists)
  }

  @Test func cancelledMigrationContinues() throws {
    let source = try variables("A=1\nB=2\nC=3")
    #expect(throws: MigrationError.cancelled) {
      try source.migrate(to: open(), removingSource: true) {
        $0.completed == 2 ? .cancel : .proceed
      }
    }
    #expect(try open().texts() == ["A": "1", "B": "2"])
    var steps: [MaintenanceProgress] = []
    let done = try source.migrate(to: open(), removingSource: true) {
      steps.append($0)
      return .proceed
    }
    #expect(done.entries.map(\.outcome) == [.identical, .identical, .added])
    #expect(steps == (0...3).map { MaintenanceProgress(completed: $0, total: 3) })
    #expect(done.isSourceRemoved)
    #expect(try !sourceExists)
    #expect(try open().texts() == ["A": "1", "B": "2", "C": "3"])
  }

  @Test func existingSecretIsReplacedOnlyOnRequest() throws {
    try variables("A=1").migrate(to: open())
    let source = try variables("A=2\nB=2")
    let kept = try source.migrate(to: open(), removingSource: true)
    #expect(kept.entries.map(\.outcome) == [.conflict, .added] && !kept.isSourceRemoved)
    #expect(try sourceExists && open().texts() == ["A": "1", "B": "2"])
    let replaced = try source.migrate(to: open(), replacing: true, removingSource: true)
    #expect(replaced.entries.map(\.outcome) == [.conflict, .identical] && replaced.isSourceRemoved)
    #expect(try !sourceExists && open().texts() == ["A": "2", "B": "2"])
    #expect(try open().items(matching: .all).count == 2)
  }

  @Test func sourceWithARefusedSecretIsKept() throws {
    let source = try variables("A=1\nB=2")
    // All secrets are stored, but one of the file was refused as a duplicate.
    let twice = ForeignSecrets(
      secrets: source.secrets + source.secrets.prefix(1), unreadable: [], file: source.file)
    let report = try twice.migrate(to: open(), removingSource: true)
    #expect(report.entries.map(\.outcome.isRefusal) == [false, false, true])
    #expect(!report.isSourceRemoved)
    #expect(try sourceExists)
  }

  @Test func sourceChangedBeforeIsKept() throws {
    let source = try variables("A=1")
    _ = try variables("A=2")
    try expectError(.notRemovable) { try source.migrate(to: open(), removingSource: true) }
    #expect(try sourceExists)
    #expect(try open().texts().isEmpty)
  }

  @Test func sourceChangedMeanwhileIsKept() throws {
    let source = try variables("A=1")
    try expectError(.notRemovable) {
      try source.migrate(to: open(), removingSource: true) {
        if $0.completed == 1 { _ = write(Array("A=2".utf8), to: directory(".env")) }
        return .proceed
      }
    }
    #expect(try content(of: file.path) == Array("A=2".utf8))
    #expect(try open().texts() == ["A": "1"])
  }

  @Test func sourceIsKeptWhenTheVaultIsDamaged() throws {
    try variables("OLD=1").migrate(to: open())
    let path = directory("secrets.vault")
    let size = try content(of: path).count
    let source = try variables("A=1")
    #expect(throws: MigrationError.self) {
      try source.migrate(to: open(), removingSource: true) {
        guard $0.completed == 1 else { return .proceed }
        do {
          // Damages the existing item.
          try FileSystem().open(path, 2).write([0xff, 0xff, 0xff], at: size - 20)
        } catch {
          Issue.record(error)
        }
        return .proceed
      }
    }
    #expect(try sourceExists)
  }

  @Test func symbolicLinkIsReadAndNotRemoved() throws {
    let target = write(Array("A=1".utf8), to: directory("real"))
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    let source = try ForeignSecrets.environmentFile(at: file, service: "app")
    let error = try expectError(.notRemovable) {
      try source.migrate(to: open(), removingSource: true)
    }
    #expect("\(error)".contains("symbolic link"))
    try source.migrate(to: open())
    #expect(try sourceExists)
    #expect(try open().texts() == ["A": "1"])
  }

  @Test func secretsOfAnAppHaveNoRemovableSource() throws {
    let source = ForeignSecrets([])
    #expect(throws: MigrationError.self) {
      try source.migrate(to: InMemorySecretStore(), removingSource: true)
    }
    #expect(try source.migrate(to: InMemorySecretStore()).entries.isEmpty)
  }

  @Test func sourceWithAnUnreadableSecretIsKept() throws {
    let url = write(Fixture.libsecretOfTwoPassphrases, to: directory("keyring"))
    let source = try ForeignSecrets.libsecretKeyring(
      at: url, passphrase: Secret(Fixture.passphrase), skippingUnreadable: true)
    let report = try source.migrate(to: open(), removingSource: true)
    #expect(report.identities(.added).count == 3)
    #expect(source.unreadable.count == 1)
    #expect(!report.isSourceRemoved)
    #expect(try FileSystem().status(of: url.path) != nil)
  }

  @Test func descriptionsAndDumpsShowNoSecret() throws {
    let source = try variables("NAME=hunter2")
    var text = "\(source) \(source.secrets)"
    dump(source, to: &text)
    #expect(!text.contains("hunter2"))
    #expect(!text.contains("NAME"))
  }
}

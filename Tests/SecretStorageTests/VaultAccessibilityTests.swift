import StorageInternals
import Testing

@testable import SecretStorage

/// When an item of each accessibility can be read, added, updated and removed.
struct VaultAccessibilityTests {
  enum State: CaseIterable {
    /// A vault with its device slot.
    case fresh
    /// Locked by `lock()`, after the vault was open.
    case lockedAgain
    /// A vault with a passphrase that this process has not used.
    case neverUnlocked
    case unlockedAgain
    /// Opened by the passphrase on a machine that has another device key.
    case copiedElsewhere
    case passphraseRemoved
  }

  enum Outcome { case done, locked, otherDevice, unsupported, absent, conflict }

  struct Outcomes {
    var read = Outcome.done
    var add = Outcome.done
    var update = Outcome.done
    var remove = Outcome.done
  }

  private static let passphrase = Secret("correct horse".utf8)

  private static func outcomes(_ state: State, _ accessibility: Accessibility) -> Outcomes {
    let isThisDeviceOnly =
      switch accessibility {
      case .whenPasscodeSetThisDeviceOnly, .whenUnlockedThisDeviceOnly,
        .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly:
        true
      case .whenUnlocked, .afterFirstUnlock, .always: false
      }
    switch state {
    case .unlockedAgain:
      return Outcomes()
    case .fresh, .passphraseRemoved:
      if accessibility != .whenPasscodeSetThisDeviceOnly { return Outcomes() }
      return Outcomes(read: .absent, add: .unsupported, update: .conflict)
    case .copiedElsewhere:
      return isThisDeviceOnly ? Outcomes(read: .otherDevice, add: .otherDevice) : Outcomes()
    case .lockedAgain:
      switch accessibility {
      case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly:
        // Attributes can be searched and changed, but no secret read or written.
        return Outcomes(read: .locked, add: .locked)
      case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly, .always, .alwaysThisDeviceOnly:
        return Outcomes()
      }
    case .neverUnlocked:
      switch accessibility {
      case .always, .alwaysThisDeviceOnly:
        // Nobody can say whether an item with the identity exists already.
        return Outcomes(add: .locked)
      default:
        return Outcomes(read: .locked, add: .locked, update: .locked, remove: .locked)
      }
    }
  }

  @Test(arguments: State.allCases, Accessibility.allCases)
  func itemIsThereAsDocumented(_ state: State, _ accessibility: Accessibility) throws {
    let vault = TestVault()
    let (object, items) = try bring(vault, into: state)
    let expected = Self.outcomes(state, accessibility)
    let item = items[accessibility]
    #expect((item == nil) == (state == .fresh && expected.read == .absent))
    let id = item?.id ?? .random()
    let revision = item?.revision ?? 1

    let read = outcome {
      let reading = try object.secret(of: id)
      #expect(reading == nil || reading?.secret.text == "\(accessibility)")
      return reading != nil
    }
    #expect(read == expected.read)
    let add = outcome {
      try object.add("new", account: "new", accessibility)
      return try object.text("new") == "new"
    }
    #expect(add == expected.add)
    var current = revision
    let update = outcome {
      let attributes = ItemAttributes(
        label: "label", accessControl: AccessControl(accessibility))
      let updated = try object.update(
        id, expecting: revision, attributes: attributes, secret: nil)
      current = updated.revision
      return updated.attributes.label == "label"
    }
    #expect(update == expected.update)
    let remove = outcome {
      try object.remove(id, expecting: current)
      if state != .neverUnlocked {
        #expect(try object.secret(of: id) == nil)
      }
      return true
    }
    #expect(remove == expected.remove)
    #expect(try object.verify().isSound)
  }

  /// Makes a vault with an item of each accessibility that it takes.
  private func bring(
    _ vault: TestVault, into state: State
  ) throws -> (SecretVault, [Accessibility: SecretItem]) {
    let maker = vault.open()
    if state != .fresh { try maker.setPassphrase(Self.passphrase, cost: .cheap) }
    var items: [Accessibility: SecretItem] = [:]
    for accessibility in Accessibility.allCases
    where state != .fresh || accessibility != .whenPasscodeSetThisDeviceOnly {
      let text = "\(accessibility)"
      items[accessibility] = try maker.add(text, account: text, accessibility)
    }
    switch state {
    case .fresh:
      return (vault.open(), items)
    case .lockedAgain:
      maker.lock()
      return (maker, items)
    case .neverUnlocked:
      return (vault.open(), items)
    case .unlockedAgain:
      maker.lock()
      try maker.unlock(with: .passphrase(Self.passphrase))
      return (maker, items)
    case .copiedElsewhere:
      let elsewhere = try vault.path("elsewhere")
      let device = try DeviceState(
        directory: elsewhere, machineIdentity: "/etc/machine-id", fileSystem: FileSystem(),
        cipher: OpenSSLCipher()
      ).makeSecret()
      #expect(device.count == 32)
      let object = vault.open(state: elsewhere)
      try object.unlock(with: .passphrase(Self.passphrase))
      return (object, items)
    case .passphraseRemoved:
      try maker.removePassphrase()
      return (vault.open(), items)
    }
  }

  private func outcome(_ body: () throws -> Bool) -> Outcome? {
    do {
      return try body() ? .done : .absent
    } catch SecretStoreError.locked {
      return .locked
    } catch SecretStoreError.otherDevice {
      return .otherDevice
    } catch SecretStoreError.unsupported {
      return .unsupported
    } catch SecretStoreError.conflict {
      return .conflict
    } catch {
      Issue.record(error)
      return nil
    }
  }

  @Test func lockingTakesTheKeysOutOfMemory() throws {
    let vault = TestVault()
    let object = vault.open()
    try object.setPassphrase(Self.passphrase, cost: .cheap)
    for accessibility in Accessibility.allCases {
      _ = try object.text(of: object.add("text", account: "\(accessibility)", accessibility))
    }
    #expect(object.kept == Set(Accessibility.allCases))
    #expect(object.contents.withLock { $0.recordKeys.count } == 7)
    object.lock()
    #expect(
      object.kept == [
        .always, .alwaysThisDeviceOnly, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly,
      ])
    object.contents.withLock { contents in
      #expect(contents.keys.ring.user == nil)
      #expect(contents.recordKeys.isEmpty)
    }
    #expect(try object.isLocked)
    // Neither reading everything again nor another process's write brings them back.
    try vault.open().acceptRollback()
    let other = vault.open()
    try other.unlock(with: .passphrase(Self.passphrase))
    try other.compact()
    #expect(try object.items(matching: .all).count == 7)
    #expect(try object.isLocked)
    #expect(object.kept.count == 4)
    #expect(throws: SecretStoreError.locked) { try object.text("whenUnlocked") }
  }

  @Test func writesThatWereUnderWayBringNoKeyBack() throws {
    let vault = TestVault()
    let locker = Lock<SecretVault?>(nil)
    // Locks the vault while a write waits for the disk.
    let object = vault.open(
      fileSystem: FileSystem { call, _ in
        if call == .fdatasync { locker.withLock { $0?.lock() } }
        return nil
      })
    try object.setPassphrase(Self.passphrase, cost: .cheap)
    try object.add("first", account: "first")
    locker.withLock { $0 = object }
    try object.add("second", account: "second")
    locker.withLock { $0 = nil }
    #expect(try object.isLocked)
    #expect(throws: SecretStoreError.locked) { try object.text("second") }
    try object.unlock(with: .passphrase(Self.passphrase))
    #expect(try object.text("second") == "second")
  }

  @Test func incompleteSearchIsLockedAndNotShort() throws {
    let vault = TestVault()
    let maker = vault.open()
    try maker.setPassphrase(Self.passphrase, cost: .cheap)
    try maker.add("always", account: "always", .always)
    try maker.add("hidden", account: "hidden")
    let object = vault.open()
    #expect(try object.text("always") == "always")
    for query in [ItemQuery.all, .matching(.generic(service: "campaign"))] {
      #expect(throws: SecretStoreError.locked) { try object.items(matching: query) }
    }
    #expect(throws: SecretStoreError.locked) { try object.item("hidden") }
    #expect(throws: SecretStoreError.locked) { try object.item("absent") }
  }
}

extension SecretVault {
  /// The accessibilities whose keys are in memory.
  fileprivate var kept: Set<Accessibility> {
    contents.withLock { contents in
      Set(
        Accessibility.allCases.filter { accessibility in
          contents.keys.table?.key(for: .secrets(accessibility))
            .flatMap { contents.keys.ring[$0.id] } != nil
        })
    }
  }
}

import StorageInternals
import Testing

@testable import SecretStorage

/// A small vault with a varied history, and its true contents.
struct VaultHistory {
  enum Form: CaseIterable { case appended, compacted, compactedAndAppended }

  let vault = TestVault()
  /// Every account that ever existed, with its current value.
  private(set) var truth: [String: String?] = [:]
  /// Every value that an account ever had.
  private(set) var past: [String: Set<String>] = [:]
  let bytes: [UInt8]
  let state: [String: [UInt8]]

  init(_ form: Form) throws {
    let object = vault.open()
    var accounts: [String: [String?]] = [:]
    func add(_ account: String, _ accessibility: Accessibility = .whenUnlocked) throws {
      accounts[account, default: []].append("\(account) at first")
      try object.add("\(account) at first", account: account, accessibility)
    }
    func change(_ account: String, to value: String) throws {
      accounts[account, default: []].append(value)
      try object.change(account, to: value)
    }
    func remove(_ account: String) throws {
      accounts[account, default: []].append(nil)
      try object.remove(account)
    }
    func move(_ account: String, to accessibility: Accessibility) throws {
      let item = try #require(try object.item(account))
      let attributes = ItemAttributes(accessControl: AccessControl(accessibility))
      _ = try object.update(
        item.id, expecting: item.revision, attributes: attributes, secret: nil)
    }
    try add("kept")
    try add("always", .always)
    try add("changed")
    try add("removed")
    try change("changed", to: "changed twice")
    try remove("removed")
    try add("narrowed", .always)
    try move("narrowed", to: .whenUnlocked)
    try add("widened", .afterFirstUnlock)
    try move("widened", to: .alwaysThisDeviceOnly)
    try add("changed and removed")
    try change("changed and removed", to: "short-lived")
    try remove("changed and removed")
    if form != .appended { try object.compact() }
    if form == .compactedAndAppended {
      try remove("always")
      try change("narrowed", to: "after the compaction")
      try add("late")
    }
    if form != .compacted { try change("kept", to: "kept at last") }
    for (account, values) in accounts {
      truth.updateValue(try #require(values.last), forKey: account)
      past[account] = Set(values.compactMap { $0 })
    }
    bytes = try vault.bytes
    state = try vault.rememberedState()
  }

  /// Returns a copy of the vault, with the same keys, for other bytes.
  func copy() throws -> TestVault {
    let copy = TestVault()
    try FileSystem().makeDirectories(copy.statePath)
    try FileSystem().replaceFile(
      at: "\(copy.statePath)/device.key", with: TestVault.bytes(of: "\(vault.statePath)/device.key")
    )
    try copy.replace(by: bytes)
    try copy.restoreState(state)
    return copy
  }

  /// Returns the violations in a damaged copy's answers: wrong values, and silent losses.
  ///
  /// At most `lost` items may be beyond recovery.
  func mistakes(of object: SecretVault, lost: Int) -> [String] {
    var mistakes: [String] = []
    var errorCount = 0
    for (account, value) in truth {
      do throws(SecretStoreError) {
        let found = try object.text(account)
        if found != value {
          mistakes.append("\(account) is \(found ?? "absent") instead of \(value ?? "absent")")
        }
      } catch {
        errorCount += 1
        switch error {
        case .corrupted, .rolledBack: break
        default: mistakes.append("\(account): \(error)")
        }
      }
    }
    do throws(SecretStoreError) {
      let count = try object.items(matching: .all).count
      if count != truth.values.compactMap(\.self).count {
        mistakes.append("A complete search finds \(count) items")
      }
    } catch {
      errorCount += 1
    }
    do {
      let damage = try object.verify().damage
      if damage.isEmpty { mistakes.append("verify() finds nothing") }
      if damage.contains("") { mistakes.append("verify() does not name the damage") }
    } catch {
      if case SecretStoreError.rolledBack = error {} else { mistakes.append("verify(): \(error)") }
    }
    do {
      let saved = try object.salvageableItems()
      var current = 0
      for (item, secret) in saved {
        let account = item.identity.account ?? ""
        if past[account]?.contains(secret.text) != true {
          mistakes.append("\(account) is salvaged as \(secret.text)")
        }
        if truth[account] == .some(secret.text) { current += 1 }
      }
      let expected = truth.values.compactMap(\.self).count - lost
      if current < expected { mistakes.append("only \(current) items of \(expected) are salvaged") }
    } catch {
      mistakes.append("salvageableItems(): \(error)")
    }
    return mistakes
  }

  /// Returns the violations after the repair of a damaged copy.
  func mistakes(ofRepairing copy: TestVault) throws -> [String] {
    let damaged = try copy.bytes
    let object = copy.open()
    if case .rolledBack = object.distrust { try object.acceptRollback() }
    let report = try object.repair()
    var mistakes: [String] = []
    if try !object.verify().isSound { mistakes.append("is not sound after repair") }
    if try !copy.open().verify().isSound { mistakes.append("is not sound for others after repair") }
    for (account, text) in try object.texts() where past[account]?.contains(text) != true {
      mistakes.append("repair gives \(account) as \(text)")
    }
    let kept = try copy.names().filter { $0.contains(".damaged-") }
    if report.isEmpty != kept.isEmpty {
      mistakes.append("repair reports \(report) and keeps \(kept)")
    }
    for name in kept where try TestVault.bytes(of: copy.path(name)) != damaged {
      mistakes.append("the damaged file is not kept as it was")
    }
    try object.add("new", account: "after repair")
    if try copy.open().text("after repair") != "new" { mistakes.append("nothing can be added") }
    for name in kept { try FileSystem().unlink(copy.path(name)) }
    return mistakes
  }
}

extension SecretVault {
  /// The reason why the whole vault is distrusted, if it is.
  var distrust: SecretStoreError? {
    do throws(SecretStoreError) {
      return try withContents { $0.trustError }
    } catch {
      return error
    }
  }
}

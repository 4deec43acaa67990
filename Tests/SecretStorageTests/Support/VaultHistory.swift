import StorageInternals
import Testing

@testable import SecretStorage

/// A small vault with a varied history, and its true contents.
struct VaultHistory {
  enum Form: CaseIterable { case appended, compacted, compactedAndAppended }

  let vault = TestVault()
  /// Every account that ever existed, with its current value.
  private(set) var truth: [String: String?] = [:]
  private(set) var past: [String: Set<String>] = [:]
  let bytes: [UInt8]
  let state: [String: [UInt8]]

  init(_ form: Form) throws {
    let object = vault.open()
    var works: [() throws -> Void] = [
      { try object.add("kept at first", account: "kept") },
      { try object.add("always at first", account: "always", .always) },
      { try object.add("changed at first", account: "changed") },
      { try object.add("removed at first", account: "removed") },
      { try object.change("changed", to: "changed twice") }, { try object.remove("removed") },
      { try object.add("narrowed at first", account: "narrowed", .always) },
      { try object.move("narrowed", to: .whenUnlocked) },
      { try object.add("widened at first", account: "widened", .afterFirstUnlock) },
      { try object.move("widened", to: .alwaysThisDeviceOnly) },
      { try object.add("at first", account: "changed and removed") },
      { try object.change("changed and removed", to: "short-lived") },
      { try object.remove("changed and removed") },
    ]
    if form != .appended { works.append { try object.compact() } }
    if form == .compactedAndAppended {
      works += [
        { try object.remove("always") },
        { try object.change("narrowed", to: "after the compaction") },
        { try object.add("late at first", account: "late") },
      ]
    }
    if form != .compacted { works.append { try object.change("kept", to: "kept at last") } }
    for work in works {
      try work()
      let texts = try object.texts()
      for (account, text) in texts { past[account, default: []].insert(text) }
      for account in past.keys { truth.updateValue(texts[account], forKey: account) }
    }
    (bytes, state) = try vault.snapshot
  }

  /// Returns a copy of the vault, with the same keys.
  func copy() throws -> TestVault {
    let copy = try vault.sibling()
    try copy.restore(bytes, state)
    return copy
  }

  /// Returns the wrong values, silent losses, and more than `lost` lost items of a damaged copy.
  func mistakes(of object: SecretVault, lost: Int) -> [String] {
    var mistakes: [String] = []
    for (account, value) in truth {
      do {
        let found = try object.text(account)
        if found != value {
          mistakes.append("\(account) is \(found ?? "absent") instead of \(value ?? "absent")")
        }
      } catch SecretStoreError.corrupted, SecretStoreError.rolledBack {
      } catch {
        mistakes.append("\(account): \(error)")
      }
    }
    let trueCount = truth.values.compactMap(\.self).count
    if let items = try? object.items(matching: .all), items.count != trueCount {
      mistakes.append("A complete search finds \(items.count) items")
    }
    do {
      let damage = try object.verify().damage
      if damage.isEmpty { mistakes.append("verify() finds nothing") }
      if damage.contains("") { mistakes.append("verify() does not name the damage") }
    } catch SecretStoreError.rolledBack {
    } catch {
      mistakes.append("verify(): \(error)")
    }
    do {
      let isRefused = if case .rolledBack = object.distrust { true } else { false }
      let items =
        try isRefused
        ? object.salvageableItems(unlockingWith: [.device]) : object.salvageableItems()
      let saved = items.map { ($0.item.identity.account ?? "", $0.secret.text) }
      for (account, text) in saved where past[account]?.contains(text) != true {
        mistakes.append("\(account) is salvaged as \(text)")
      }
      let current = saved.count { truth[$0] == .some($1) }
      if current < trueCount - lost {
        mistakes.append("only \(current) items of \(trueCount - lost) are salvaged")
      }
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

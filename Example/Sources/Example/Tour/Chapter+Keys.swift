import FoundationEssentials
import SecretStorage

extension Chapter {
  static let slots = Chapter(title: "What opens a vault") { stage in
    let vault = stage.vault("slots")
    @GenericPassword(service: "diary", in: vault) var diary: String?
    diary = "Monday"
    _ = try await vault.addSlot(.passphrase(Secret("totoro".utf8)), named: "Peter", cost: .minimum)
    let (slot, code) = try vault.addRecoveryCode(named: "in the safe")
    try stage.show(
      #"try await vault.addSlot(.passphrase("totoro"), named: "Peter"); try vault.addRecoveryCode(named: "in the safe")"#
    )
    try stage.show("try vault.slots.map(\\.name)", try vault.slots.map(\.name))
    let device = try vault.slots[0]
    try vault.removeSlot(device.id)
    let other = stage.vault("slots")
    try stage.show("the device's slot is removed; another object's isLocked", try other.isLocked)
    try await other.unlock(with: .recoveryCode(code))
    @GenericPassword(service: "diary", in: other) var again: String?
    try stage.show("try await other.unlock(with: .recoveryCode(code)); diary", again)
    try vault.removeSlot(slot.id)
    let last = try vault.slots[0]
    try await stage.showFailure("try vault.removeSlot(/* the last one */)") {
      () throws in try vault.removeSlot(last.id)
    }
  }

  static let rotating = Chapter(title: "New keys") { stage in
    let vault = stage.vault("rotated")
    for number in 1...300 {
      _ = try vault.add(
        Secret("secret \(number)".utf8), identity: .generic(service: "many", account: "\(number)"),
        attributes: ItemAttributes())
    }
    var steps = 0
    try vault.rotateKeys { progress in
      steps = progress.completed
      return .proceed
    }
    try stage.show(
      "try vault.rotateKeys { progress in …; return .proceed }; progress.completed", steps)
    @GenericPassword(service: "many", account: "300", in: stage.vault("rotated")) var one: String?
    try stage.show("secret 300 of 300, under the new keys", one)
  }

  static let moving = Chapter(title: "Export and import") { stage in
    let passphrase = Secret("ponyo".utf8)
    let export = stage.directory.appending(path: "secrets.export")
    let vault = stage.vault("exported")
    for number in 1...3 {
      _ = try vault.add(
        Secret("secret \(number)".utf8), identity: .generic(service: "many", account: "\(number)"),
        attributes: ItemAttributes())
    }
    let exported = try vault.export(to: export, passphrase: passphrase, cost: .minimum)
    try stage.show(
      #"try vault.export(to: file, passphrase: "ponyo").exported.count"#, exported.exported.count)
    let other = stage.vault("moved", on: "other machine")
    @GenericPassword(service: "many", account: "1", in: other) var one: String?
    one = "another one"
    let plan = try other.importItems(from: export, passphrase: passphrase, isDryRun: true)
    try stage.show(
      "on another machine: try vault.importItems(from: file, …, isDryRun: true).items(.conflict).count",
      plan.items(.conflict).count)
    _ = try other.importItems(from: export, passphrase: passphrase)
    @GenericPassword(service: "many", account: "2", in: other) var two: String?
    try stage.show(
      "try vault.importItems(from: file, …); secrets 1 and 2", "\(one ?? ""), \(two ?? "")")
  }
}

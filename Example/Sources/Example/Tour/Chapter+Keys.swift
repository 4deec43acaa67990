import FoundationEssentials
import SecretStorage

extension Chapter {
  static let slots = Chapter(title: "What opens a vault") { stage in
    let vault = stage.vault("slots")
    do {
      @GenericPassword(service: "diary", in: vault) var diary: String?
      diary = "Monday"
    }
    _ = try vault.addSlot(.passphrase(Secret("totoro")), named: "Peter", cost: .minimum)
    let (slot, code) = try vault.addRecoveryCode(named: "in the safe")
    try stage.show(
      #"try vault.addSlot(.passphrase(Secret("totoro")), named: "Peter", cost: .minimum)"#)
    try stage.show(#"let (slot, code) = try vault.addRecoveryCode(named: "in the safe")"#)
    try stage.show("try vault.slots.map(\\.name)", try vault.slots.map(\.name))
    let device = try vault.slots[0]
    try vault.removeSlot(device.id)
    let other = stage.vault("slots")
    try stage.show("let device = try vault.slots[0]; try vault.removeSlot(device.id)")
    try stage.say("another object of the vault, in which a property diary is declared:")
    try stage.show("try other.isLocked", try other.isLocked)
    try other.unlock(with: .recoveryCode(code))
    @GenericPassword(service: "diary", in: other) var diary: String?
    try stage.show("try other.unlock(with: .recoveryCode(code)); diary", diary)
    try vault.removeSlot(slot.id)
    let last = try vault.slots[0]
    try stage.show("try vault.removeSlot(slot.id); let last = try vault.slots[0]")
    try await stage.showFailure("try vault.removeSlot(last.id)") { () throws in
      try vault.removeSlot(last.id)
    }
  }

  static let rotating = Chapter(title: "New keys") { stage in
    let vault = stage.vault("rotated")
    for number in 1...300 {
      _ = try vault.add(
        Secret("secret \(number)"), identity: .generic(service: "many", account: "\(number)"),
        attributes: ItemAttributes())
    }
    var steps = 0
    try vault.rotateKeys { progress in
      steps = progress.completed
      return .proceed
    }
    try stage.show(
      "try vault.rotateKeys { progress in steps = progress.completed; return .proceed }; steps",
      steps)
    @GenericPassword(service: "many", account: "300", in: stage.vault("rotated")) var one: String?
    try stage.show("one   // secret 300 of 300, under the new keys", one)
  }

  static let moving = Chapter(title: "Export and import") { stage in
    let passphrase = Secret("ponyo")
    let file = stage.directory.appending(path: "secrets.export")
    let vault = stage.vault("exported")
    for number in 1...3 {
      _ = try vault.add(
        Secret("secret \(number)"), identity: .generic(service: "many", account: "\(number)"),
        attributes: ItemAttributes())
    }
    try stage.show(#"let passphrase = Secret("ponyo")"#)
    try stage.show(
      "try vault.export(to: file, passphrase: passphrase, cost: .minimum).exported.count",
      try vault.export(to: file, passphrase: passphrase, cost: .minimum).exported.count)
    let other = stage.vault("moved", on: "other machine")
    @GenericPassword(service: "many", account: "1", in: other) var one: String?
    one = "another one"
    try stage.say("on another machine, which has another secret 1:")
    try stage.show(
      "try other.importItems(from: file, passphrase: passphrase, isDryRun: true).identities(.conflict).count",
      try other.importItems(from: file, passphrase: passphrase, isDryRun: true)
        .identities(.conflict).count)
    _ = try other.importItems(from: file, passphrase: passphrase)
    @GenericPassword(service: "many", account: "2", in: other) var two: String?
    try stage.show(
      "try other.importItems(from: file, passphrase: passphrase); [one, two]   // secrets 1 and 2",
      [one, two].compactMap(\.self))
  }
}

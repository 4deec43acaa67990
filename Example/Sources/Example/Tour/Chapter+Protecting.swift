import FoundationEssentials
import SecretStorage

extension Chapter {
  static let protecting = Chapter(title: "Who may read an item") { stage in
    let vault = stage.vault("protected")
    @GenericPassword(
      service: "recovery key", refreshPolicy: .manual, accessFlags: .applicationPassword, in: vault)
    var key: String?
    try stage.show("accessFlags: .applicationPassword, refreshPolicy: .manual")
    key = "the key of everything"
    try await $key.save(
      authorizedBy: AuthenticationContext(
        reason: "Keep the recovery key", applicationPassword: Secret("laputa".utf8)))
    try await stage.showFailure("try $key.load()   // without asking, nothing is read") {
      () throws in try $key.load()
    }
    let wrong = AuthenticationContext(
      reason: "Show the recovery key", applicationPassword: Secret("lagado".utf8))
    try await stage.showFailure(
      #"try await $key.load(authorizedBy: …(applicationPassword: "lagado"))"#
    ) { () throws in try await $key.load(authorizedBy: wrong) }
    let right = AuthenticationContext(
      reason: "Show the recovery key", applicationPassword: Secret("laputa".utf8))
    try stage.show(
      #"try await $key.load(authorizedBy: …(applicationPassword: "laputa"))"#,
      try await $key.load(authorizedBy: right))

    @GenericPassword(
      service: "pairing", accessOption: .whenUnlockedThisDeviceOnly, in: vault)
    var pairing: String?
    pairing = "with this machine only"
    try stage.show("accessOption: .whenUnlockedThisDeviceOnly; pairing", pairing)
    try await vault.setPassphrase(Secret("totoro".utf8), cost: .minimum)
    try FileManager.default.createDirectory(
      at: stage.file("protected copy").deletingLastPathComponent(),
      withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      at: stage.file("protected"), to: stage.file("protected copy"))
    let elsewhere = stage.vault("protected copy", on: "other machine")
    try await elsewhere.unlock(with: .passphrase(Secret("totoro".utf8)))
    @GenericPassword(service: "pairing", in: elsewhere) var copy: String?
    try stage.say("The vault gets a passphrase, is copied to another machine and unlocked there:")
    try await stage.showFailure("try $pairing.load()") { () throws in
      try $copy.load()
    }
  }
}

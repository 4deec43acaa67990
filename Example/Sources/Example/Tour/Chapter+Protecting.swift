import FoundationEssentials
import SecretStorage

extension Chapter {
  static let protecting = Chapter(title: "Who may read an item") { stage in
    let vault = stage.vault("protected")
    @GenericPassword(
      service: "recovery key", refreshPolicy: .manual, accessFlags: .applicationPassword, in: vault)
    var key: String?
    try stage.show(
      #"@GenericPassword(service: "recovery key", refreshPolicy: .manual, accessFlags: .applicationPassword, in: vault) var key: String?"#
    )
    key = "the key of everything"
    let right = AuthenticationContext(
      reason: "Show the recovery key", applicationPassword: Secret("laputa"))
    try await $key.save(authorizedBy: right)
    try stage.show(
      #"let right = AuthenticationContext(reason: "Show the recovery key", applicationPassword: Secret("laputa"))"#
    )
    try stage.show(#"key = "the key of everything"; try await $key.save(authorizedBy: right)"#)
    try await stage.showFailure("try $key.load()   // without asking, nothing is read") {
      () throws in try $key.load()
    }
    let wrong = AuthenticationContext(
      reason: "Show the recovery key", applicationPassword: Secret("lagado"))
    try stage.show(
      #"let wrong = AuthenticationContext(reason: "Show the recovery key", applicationPassword: Secret("lagado"))"#
    )
    try await stage.showFailure("try await $key.load(authorizedBy: wrong)") { () throws in
      try await $key.load(authorizedBy: wrong)
    }
    try stage.show(
      "try await $key.load(authorizedBy: right)", try await $key.load(authorizedBy: right))

    do {
      @GenericPassword(
        service: "pairing", accessOption: .whenUnlockedThisDeviceOnly, in: vault)
      var pairing: String?
      pairing = "with this machine only"
      try stage.show(
        #"@GenericPassword(service: "pairing", accessOption: .whenUnlockedThisDeviceOnly, in: vault) var pairing: String?"#
      )
      try stage.show(#"pairing = "with this machine only"; pairing"#, pairing)
    }
    try vault.setPassphrase(Secret("totoro"), cost: .minimum)
    try FileManager.default.createDirectory(
      at: stage.file("protected copy").deletingLastPathComponent(),
      withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      at: stage.file("protected"), to: stage.file("protected copy"))
    let elsewhere = stage.vault("protected copy", on: "other machine")
    try elsewhere.unlock(with: .passphrase(Secret("totoro")))
    @GenericPassword(service: "pairing", in: elsewhere) var pairing: String?
    try stage.say("The vault gets a passphrase, is copied to another machine and unlocked there:")
    try await stage.showFailure("try $pairing.load()") { () throws in try $pairing.load() }
  }
}

import SecretStorage

extension Chapter {
  static let password = Chapter(title: "@GenericPassword: a secret as a property") { stage in
    let vault = stage.vault("app")
    @GenericPassword(service: "mail", account: "peter", in: vault) var password: String?
    try stage.show(
      #"@GenericPassword(service: "mail", account: "peter", in: vault) var password: String?"#)
    try stage.show("password", password)
    try stage.show("$password.status", $password.status)
    password = "Naushika"
    try stage.show(#"password = "Naushika"; password"#, password)
    try stage.show("$password.status", $password.status)

    $password.attributes.label = "Mail of Peter"
    try await $password.save()
    try stage.show(#"$password.attributes.label = "Mail of Peter"; try await $password.save()"#)
    try stage.say("another object of the vault finds the item:")
    let other = stage.vault("app")
    try stage.show(
      "try other.items(matching: .all).first?.attributes.label",
      try other.items(matching: .all).first?.attributes.label)

    struct Session: Codable, Equatable {
      var user: String
      var number: Int
    }
    @GenericPassword(service: "session", in: vault) var session: Session?
    session = Session(user: "peter", number: 3)
    session?.number += 1
    try stage.show("session?.number += 1   // any Codable value", session?.number ?? 0)

    let shown = "a secret: \(Secret("Naushika"))"
    try stage.show(#""a secret: \(Secret("Naushika"))""#, shown)
    password = nil
    try stage.show("password = nil; $password.status", $password.status)
  }

  static let refreshing = Chapter(title: "When a property reads and writes") { stage in
    let vault = stage.vault("app")
    @GenericPassword(service: "pin", refreshPolicy: .manual, defaultValue: "0000", in: vault)
    var pin: String?
    @GenericPassword(service: "pin", in: vault) var stored: String?
    try stage.show(
      #"@GenericPassword(service: "pin", refreshPolicy: .manual, defaultValue: "0000", in: vault) var pin: String?"#
    )
    try stage.show(#"@GenericPassword(service: "pin", in: vault) var stored: String?"#)
    try stage.show("pin", pin)
    pin = "2718"
    try stage.show(#"pin = "2718"; stored"#, stored)
    try stage.show("$pin.hasUnsavedChanges", $pin.hasUnsavedChanges)
    try await $pin.save()
    try stage.show("try await $pin.save(); stored", stored)
    stored = "3141"
    try stage.show(#"stored = "3141"; pin"#, pin)
    try await $pin.load()
    try stage.show("try await $pin.load(); pin", pin)
  }
}

import SecretStorage
import Testing

/// The declarations that the documentation shows, as an app writes them.
struct DocumentedUseTests {
  struct Login: Codable, Equatable, Sendable {
    var name = "peter"
    var pin = 1234
  }

  struct Settings {
    @GenericPassword(service: "my.service") var name: String?
    @GenericPassword(
      service: "my.service", account: "peter", refreshPolicy: .manual, defaultValue: "…",
      in: .inMemory)
    var token: String?
    @GenericPassword(
      service: "my.service", account: "constrained", refreshPolicy: .manual,
      accessOption: .whenUnlocked, accessFlags: [.biometryAny, .or, .devicePasscode])
    var login: Login?
    @InternetPassword(
      server: "my.server", account: "my.account", securityDomain: "my.domain", protocol: .ssh,
      authenticationType: .htmlForm, port: 8080, path: "/a/b/c")
    var password: String?
    @GenericPassword(service: "my.service", account: "bytes") var bytes: [UInt8]?
  }

  final class Session: Sendable {
    let token = PasswordItem<String>(.generic(service: "my.service", account: "session"))
  }

  static let login = PasswordItem<Login>(.generic(service: "my.service", account: "login"))

  @Test func documentedShapesWork() throws {
    try SecretStores.withDefaultStore(InMemorySecretStore()) {
      let settings = Settings()
      settings.name = "Kiki"
      #expect(settings.name == "Kiki")
      settings.password = "The Sixth Station"
      #expect(settings.password == "The Sixth Station")
      settings.bytes = [1, 0, 255]
      #expect(settings.bytes == [1, 0, 255])

      let session = Session()
      session.token.value = "token"
      #expect(session.token.value == "token")
      #expect(session.token.status == .value)

      Self.login.value = Login()
      let login = try Self.login.load()
      #expect(login == Login())

      settings.login = Login()
      #expect(throws: SecretStoreError.self) { try settings.$login.save() }
      #expect(settings.$login.hasUnsavedChanges)
      #expect(settings.token == "…")
    }
  }

  @Test func storesAreDemandedByGuarantee() {
    #expect(throws: SecretStoreError.unsupported("a store that survives a reboot")) {
      try InMemorySecretStore().requiring(.survivesReboot)
    }
  }
}

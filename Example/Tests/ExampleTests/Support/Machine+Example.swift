import SecretStorage

extension Machine {
  convenience init() throws { try self.init(program: "Example") }

  /// Stores the password of an account, as an app would.
  func store(_ password: String, site: String, account: String) async throws {
    @InternetPassword(server: site, account: account, in: vault) var stored: String?
    stored = password
    try await $stored.save()
  }

  /// The password that a sign-up kept for a user name; nil when there is none.
  func password(of name: String = "chihiro") throws -> String? {
    @InternetPassword(server: SignUpSession.site, account: name, refreshPolicy: .manual, in: vault)
    var stored: String?
    return try $stored.load()
  }
}

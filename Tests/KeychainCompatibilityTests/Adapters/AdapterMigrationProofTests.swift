import KeychainCompatibility
import TestSupport
import Testing

/// Migrations of items that need a person's authorization.
struct AdapterMigrationProofTests {
  private let directory: TemporaryDirectory
  private let person = AskedPerson()
  private let vault: SecretVault

  init() throws {
    directory = try TemporaryDirectory()
    vault = directory.vault(authenticator: person.authenticator)
    for (key, flags) in [("a", AccessFlags.userPresence), ("b", .userPresence), ("c", [])] {
      try vault.add(json: "\"\(key)\"", "service", key, AccessControl(flags: flags))
    }
  }

  @Test func itemsWithFlagsAreRefusedWithoutAProof() throws {
    let report = try converting(["a", "b", "c"], in: vault).run()
    #expect(report.keys(.converted) == ["c"])
    #expect(
      report.keys(.refused("Reading it requires authentication: use run(authorizedBy:).")) == [
        "a", "b",
      ])
    #expect(person.questions == 0)
  }

  @Test func oneProofConvertsAllAndFlagsAreKept() async throws {
    let context = AuthenticationContext(reason: "test", reuse: .seconds(3600))
    let report = try await converting(["a", "b", "c"], in: vault).run(authorizedBy: context)
    #expect(report.keys(.converted) == ["a", "b", "c"])
    #expect(person.questions == 1)
    for item in try vault.items(matching: .matching(.generic(service: "service"))) {
      let account = try #require(item.identity.account)
      #expect(item.attributes.accessControl.flags == (account == "c" ? [] : .userPresence))
      let authorization = try await context.authorize(
        item.attributes.accessControl, with: vault.authenticator)
      #expect(try vault.bytes("service", account, by: authorization) == Array(account.utf8))
    }
    #expect(try vault.names().contains("service.migration/a") == false)
  }

  @Test func deniedProofConvertsNothing() async throws {
    let nobody = directory.vault(
      authenticator: AskedPerson(refusal: .denied("nobody is there")).authenticator)
    let before = try nobody.revision()
    await #expect(throws: SecretStoreError.denied("nobody is there")) {
      try await converting(["a", "b", "c"], in: nobody).run(
        authorizedBy: AuthenticationContext(reason: "test", reuse: .seconds(3600)))
    }
    #expect(try nobody.revision() == before)
  }

  @Test func copyRequiresTheProofOfTheItem() async throws {
    let migration = converting(["a"], in: InterruptedStore(vault, after: 1))
    let context = AuthenticationContext(reason: "test", reuse: .seconds(3600))
    await #expect(throws: InterruptedStore.interruption) {
      try await migration.run(authorizedBy: context)
    }
    let identity = ItemIdentity.generic(service: "service.migration", account: "a")
    let copy = try #require(try vault.items(matching: .exactly(identity)).first)
    #expect(copy.attributes.accessControl == AccessControl(flags: .userPresence))
  }
}

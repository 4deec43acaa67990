import CLibrary
import FoundationEssentials
import StorageTesting
import TestSupport
import Testing

@testable import SecretStorage

@Suite(.expectsFailures)
struct EnvironmentSecretStoreTests {
  /// A store of variables that the process does not have, because `setenv` races with other tests.
  private static func store(
    _ variables: [String: String], naming: ItemNaming = .serviceAndAccount
  ) -> EnvironmentSecretStore {
    EnvironmentSecretStore(
      prefix: "APP_", naming: naming,
      variables.map { EnvironmentVariable(name: $0.key, value: Secret($0.value.utf8)) })
  }

  private static let conformance = ReadOnlyStoreConformance("EnvironmentSecretStore") { items in
    store(
      items.reduce(into: [:]) { variables, item in
        let parts = [item.key.service, item.key.account].compactMap { $0?.uppercased() }
        variables["APP_" + parts.joined(separator: "__")] = item.value
      })
  }

  @Test(arguments: conformance.checks)
  func storeConforms(_ check: ReadOnlyStoreConformance.Check) async {
    await Self.conformance.run(check)
  }

  @Test func namesGiveIdentitiesInLowercase() throws {
    let store = Self.store([
      "APP_GITHUB__TOKEN": "1", "APP_port": "2", "APP_A__B__C": "3", "APP__X": "4",
    ])
    #expect(
      Set(try store.items(matching: .all).map(\.identity)) == [
        .generic(service: "github", account: "token"), .generic(service: "port"),
        .generic(service: "a", account: "b__c"), .generic(service: "_x"),
      ])
    #expect(try PasswordItem<Int>(.generic(service: "port"), in: store).load() == 2)
    let mapped = Self.store(
      ["APP_TOKEN": "1", "APP_OTHER": "2"],
      naming: .mapping(["token": .internet(server: "example.com")]))
    #expect(
      try mapped.items(matching: .all).map(\.identity) == [.internet(server: "example.com")])
  }

  @Test func twoVariablesOfOneItemAreAnError() {
    let store = Self.store(["APP_Token": "1", "APP_TOKEN": "2"])
    let error = #expect(throws: SecretStoreError.self) { try store.items(matching: .all) }
    #expect(error?.description.contains("APP_TOKEN and APP_Token") ?? false)
    #expect(throws: SecretStoreError.self) { try store.secret(of: SecretItem.ID(uuid: UUID())) }
  }

  @Test func severalMatchesHaveTheOrderOfTheirNames() throws {
    let names = ["D", "A", "E", "B", "C"]
    let store = Self.store(names.reduce(into: [:]) { $0["APP_GITHUB__\($1)"] = $1 })
    #expect(
      try store.items(matching: .matching(.generic(service: "github"))).map(\.identity.account)
        == ["a", "b", "c", "d", "e"])
    #expect(try store.text(.generic(service: "github")) == "A")
  }

  /// A process of its own, because it reads and changes the environment.
  @Test func removedVariablesAreGoneFromTheProcess() throws {
    let directory = try TemporaryDirectory()
    let output = directory("output")
    let process = try StartedProcess.spawn(
      [
        try ChildProcess.path(ofExecutable: "VaultProcess"), "environment", "-", "-",
        "CANARY_", "CANARY_REPLACED",
      ],
      environment: [
        "HOME=/home/me", "CANARY_GITHUB__TOKEN=canary token", "OTHER=kept",
        "CANARY_REPLACED=canary replaced", "CANARY_GITHUB__TOKEN=canary duplicate",
        "CANARY_EMPTY=",
      ],
      files: [
        ("/dev/null", O_RDONLY), (output, O_WRONLY | O_CREAT),
        (output + ".errors", O_WRONLY | O_CREAT),
      ])
    let status = try StartedProcess.wait(for: process)
    let lines = String(decoding: try content(of: output), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    let errors = String(decoding: try content(of: output + ".errors"), as: UTF8.self)
    #expect(status == 0, "\(errors)")
    #expect(
      lines == [
        "before: proc names getenv Foundation HOME", "read: canary token", "items: 3", "again: 0",
        "after: HOME", "HOME=/home/me", "OTHER=kept",
      ])
  }
}

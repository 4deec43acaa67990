import FoundationEssentials
import SecretMigration
import SecretStorage
import TestSupport
import Testing

/// The code of the overview of `SecretMigration`.
final class MigratingSecretsSnippets: DirectoryTests {
  @Test func secretsOfAnEnvironmentFileMigrate() throws {
    let file = directory.url.appending(path: ".env")
    try Data("export TOKEN='The Valley Wind' # of the test\n".utf8).write(to: file)
    let vault = directory.vault()
    let isCancelled = false

    let secrets = try ForeignSecrets.environmentFile(at: file, service: "com.example.app")
    print("\(secrets.secrets.count) variables")
    #expect(secrets.secrets.count == 1)

    let plan = try secrets.migrate(to: vault, isDryRun: true)
    for entry in plan.entries {
      print("\(entry.identity.account ?? ""): \(entry.outcome)")
    }
    #expect(plan.entries.map(\.outcome) == [.added])

    let done = try secrets.migrate(to: vault, removingSource: true) { progress in
      print("\(progress.completed) of \(progress.total)")
      return isCancelled ? .cancel : .proceed
    }
    print(done.isSourceRemoved)
    #expect(done.isSourceRemoved && !FileManager.default.fileExists(atPath: file.path))

    let password = PasswordItem<String>(
      .generic(service: "com.example.app", account: "TOKEN"), in: vault)
    #expect(password.value == "The Valley Wind")
  }

  @Test func otherFileIsMalformed() throws {
    let vault = InMemorySecretStore()
    let passphrase = "correct horse battery staple"
    let file = URL(filePath: "/dev/null")
    #expect(throws: MigrationError.self) {
      let secrets = try ForeignSecrets.keychainExport(at: file, passphrase: Secret(passphrase.utf8))
      try secrets.migrate(to: vault)
    }
  }
}

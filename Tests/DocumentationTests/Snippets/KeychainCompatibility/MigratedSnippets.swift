import KeyValueStorage
import SecretStorage
import SerializedAccess
import Testing

/// The code of the migration guide after each migration.
struct MigratedSnippets {
  final class Counter: Sendable {
    let number = Serialized(0)

    func begin() -> SerializedObservation {
      defer { number.asyncAccess { $0 += 1 } }
      return number.observe { _, new in print("now \(new)") }
    }
  }

  struct Mail {
    @InternetPassword(
      server: "imap.example.com", account: "peter", protocol: .imaps, port: 993,
      refreshPolicy: .manual)
    var password: String?

    func rename() throws {
      try $password.load()
      $password.attributes.comment = "The mail of Peter"
      try $password.save()
    }
  }

  final class Settings: Sendable {
    let volume = StoredValue(wrappedValue: 0.8, "volume")
    let title = Serialized("")

    func begin() -> SerializedObservation {
      title.observe { _, new in print("now \(new)") }
    }
  }

  @Test func versionTwo() throws {
    let counter = Counter()
    let observation = counter.begin()
    #expect(counter.number.wrappedValue == 1)
    observation.cancel()
    try SecretStores.withDefaultStore(InMemorySecretStore()) {
      let mail = Mail()
      mail.password = "The Valley Wind"
      try mail.$password.save()
      try Mail().rename()
      try mail.$password.load()
      #expect(mail.$password.attributes.comment == "The mail of Peter")
      #expect(mail.password == "The Valley Wind")
    }
  }

  @Test func versionOne() {
    let settings = Settings()
    let observation = settings.begin()
    settings.title.wrappedValue = "Ohmu"
    #expect(settings.title.wrappedValue == "Ohmu")
    observation.cancel()
  }

  @Test func namesMissingOnLinuxHaveReplacements() async throws {
    let observeSetting = {
      let volume = StoredValue(wrappedValue: 0.5, "volume")
      let heard = volume.observe { old, new in print("from \(old) to \(new)") }
      return heard
    }
    // A call would write the settings of the user that runs the tests.
    _ = observeSetting
    let title = Serialized("")
    let changes = Task {
      for await value in title.values { print(value) }
    }
    changes.cancel()
    await changes.value
  }
}

import Foundation
import KeychainCompatibility
import TestSupport
import Testing

/// The code of the migration guide before each migration.
struct MigrationGuideSnippets: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case versionTwo, versionOne, defaultsMigration
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension MigrationGuideSnippets {
  struct Volumes {
    @DefaultsStore(key: "volume") var ofTheNewStore: Double?
    @DefaultsStore(key: "volume", defaults: .standard) var alsoOfTheNewStore: Double?
    @DefaultsStore(key: "volume", defaults: UserDefaults.standard) var kept: Double?
  }

  final class Counter {
    @Serialized var number = 0

    func begin() {
      _number.didSet = { print("now \($0)") }
      _number.asyncAccess { $0 + 1 }
    }
  }

  struct Mail {
    @InternetPassword(
      server: "imap.example.com", account: "peter", aProtocol: kSecAttrProtocolIMAPS, port: 993,
      refreshPolicy: .manual)
    var password: String?

    func rename() throws {
      try _password.loadFromKeychain()
      _password.comment = "The mail of Peter"
      try _password.saveToKeychain()
    }
  }

  final class Settings {
    @DefaultsStore(key: "volume", defaultValue: 0.8) var volume: Double?
    @StoredSubject var title = ""
    let bag = DisposeBag()

    func begin() {
      _title.observe { print("now \($0)") }.dispose(in: bag)
    }
  }

  struct Window: Codable, Sendable {
    var width: Int
  }

  func verify(_ fact: Fact) throws {
    switch fact {
    case .versionTwo:
      let counter = Counter()
      counter.begin()
      #expect(counter.number == 1)
      try SecretStores.withDefaultStore(InMemorySecretStore()) {
        let mail = Mail()
        mail.password = "The Valley Wind"
        try mail.rename()
      }
    case .versionOne:
      let settings = Settings()
      settings.begin()
      settings.title = "Ohmu"
      #expect(settings.title == "Ohmu")
    case .defaultsMigration:
      let migrate = {
        var migration = DefaultsMigration(into: .standard)
        migration.convert("window", as: Window.self)
        let report = try migration.run()
        print(report.undeclared)
      }
      // A call would read the settings of the user that runs the tests.
      _ = migrate
    }
  }
}

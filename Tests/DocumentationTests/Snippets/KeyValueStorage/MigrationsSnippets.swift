import CLibrary
import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

private let migrations = [
  KeyValueMigration(to: 1) { settings in
    settings.rename("colour", to: "color")
  },
  KeyValueMigration(to: 2) { settings in
    // The volume was a percentage.
    if let percentage = try settings.value(of: "volume", as: Int.self) {
      try settings.set(Double(percentage) / 100, for: "volume")
    }
  },
]

extension KeyValueStore {
  static let mixer = KeyValueStore(
    applicationName: "mixer", version: 2, migrations: migrations)
}

/// The code of the article "Migrations".
final class MigrationsSnippets: DirectoryTests {
  struct Window: Codable, Sendable {
    var width = 80
    var height = 24
    var columns = 2  // since version 2
    var title: String?  // since version 2
  }

  @Test func newPropertyNeedsNoMigration() throws {
    let store = KeyValueStore()
    try store.set(["width": 100], for: "window")
    let window = try StoredValue(wrappedValue: Window(), "window", in: store).load()
    #expect(window.width == 100 && window.height == 24 && window.columns == 2)
    #expect(window.title == nil)
    #expect(throws: KeyValueStoreError.self) { try store.value(of: "window", as: Window.self) }
  }

  struct PercentageTests {
    private let temporary: TemporaryDirectory
    private var directory: URL { temporary.url }

    init() throws { temporary = try TemporaryDirectory() }

    @Test func percentageBecomesFraction() throws {
      let file = directory.appending(path: "settings.json")
      try Data(#"{"colour": "red", "volume": 80}"#.utf8).write(to: file)

      let store = KeyValueStore(json: file, version: 2, migrations: migrations)
      #expect(try store.value(of: "color") == "red")
      #expect(try store.value(of: "volume") == 0.8)
      #expect(try store.keys() == ["color", "volume"])
    }
  }

  @Test func importing() async throws {
    // The folder of Foundation's property lists is set for the whole process.
    await #expect(processExitsWith: .success) { [path = directory.url.path as String] in
      unsafe setenv("XDG_CONFIG_HOME", path, 1)
      let list = URL(filePath: path).appending(path: "com.example.app.plist")
      try KeyValueStore(propertyList: list).set(0.5, for: "volume")
      let store = KeyValueStore()
      let plan = try store.import(userDefaults: "com.example.app", isDryRun: true)
      print("\(plan.imported) would be imported, \(plan.kept) are already set.")
      #expect(try store.keys() == [])

      try store.import(userDefaults: "com.example.app")
      #expect(try store.value(of: "volume") == 0.5)
    }
  }
}

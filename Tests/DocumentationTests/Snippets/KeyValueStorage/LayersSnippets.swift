import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

extension KeyValueStore {
  static let notes = KeyValueStore(layers: [
    .commandLine(),
    .environment(prefix: "NOTES_"),
    .json(URL(filePath: "/home/me/.config/notes/settings.json")),
    .propertyList(URL(filePath: "/etc/notes.plist")),
  ])
}

/// The code of the article "Layers".
struct LayersSnippets {
  struct Server: Codable, Sendable {
    var host = "localhost"
    var port = 8443
  }

  struct Notes: Sendable {
    @StoredValue("log.level", in: .notes) var logLevel = 1
    @StoredValue("server", in: .notes) var server = Server()
  }

  @Test func sourceOfADefaultValue() {
    let notes = Notes()
    print("The port is that of \(notes.$server.source).")
    #expect(notes.$logLevel.source == .defaultValue)
    #expect(notes.server.port == 8443)
    // The arguments of this process are those of the test runner.
    for name in KeyValueStore.notes.unusedNames() {
      print("\(name) is unknown.")
    }
  }

  @Test func writableLayerAboveAReadOnlyOne() throws {
    let directory = try TemporaryDirectory()
    let stateFile = directory.url.appending(path: "settings.json")
    let store = KeyValueStore(layers: [
      .json(stateFile), .json(URL(filePath: "/etc/notes/settings.json"), isReadOnly: true),
    ])
    try store.set(1, for: "log.level")
    #expect(store.source(of: "log.level") == .store(name: stateFile.path))
  }
}

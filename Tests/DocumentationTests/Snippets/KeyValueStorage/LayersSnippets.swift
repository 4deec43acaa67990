import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

func makeStore(_ user: URL, _ system: URL) -> KeyValueStore {
  KeyValueStore(layers: [
    .commandLine(), .environment(prefix: "NOTES_"), .json(user), .propertyList(system),
  ])
}

/// The code of the article "Layers of settings".
final class LayersSnippets: DirectoryTests {
  @Test func firstLayerHasTheValue() throws {
    let user = directory.url.appending(path: "user.json")
    let none = makeStore(user, directory.url.appending(path: "system.plist"))
    #expect(StoredValue(wrappedValue: 8080, "server.port", in: none).wrappedValue == 8080)
    let store = KeyValueStore(layers: [
      .environment(prefix: "NOTES_", ["NOTES_SERVER_PORT": "9000"]), .json(user),
    ])
    let port = StoredValue(wrappedValue: 8080, "server.port", in: store)
    print(port.wrappedValue, port.source)  // 9000 NOTES_SERVER_PORT
    #expect("\(port.wrappedValue) \(port.source)" == "9000 NOTES_SERVER_PORT")
  }

  @Test func layersOfATest() throws {
    let layers: [KeyValueLayer] = [
      .commandLine(["--server.port", "9000"]),
      .environment(prefix: "NOTES_", ["NOTES_LOG_LEVEL": "debug"]),
    ]
    let store = KeyValueStore(layers: layers)
    #expect(try store.value(of: "server.port") == 9000)
    #expect(try store.value(of: "logLevel") == "debug")
  }

  @Test func fileOfTheSystemIsNamedWritable() throws {
    let layer = KeyValueLayer.json(URL(filePath: "/etc/notes.json"), isWritable: true)
    _ = KeyValueStore(layers: [layer])
  }
}

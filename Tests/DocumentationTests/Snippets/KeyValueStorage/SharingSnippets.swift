import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

/// The code of the article "Sharing a file", and its statements about writes.
struct SharingSnippets {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ text: String, to name: String) throws -> URL {
    let file = directory.url.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test func movingAside() throws {
    let file = try write("{ oops", to: "settings.json")
    let store = KeyValueStore(json: file)
    do {
      try store.load()
    } catch KeyValueStoreError.unreadable(let file) {
      print("\(file.path) is damaged: \(file.reason)")
      if let place = try store.moveAsideUnreadableFile() {
        print("It is now \(place).")
      }
    } catch {
      print(error)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    #expect(names.contains { $0.hasPrefix("settings.json.unreadable-") })
    #expect(try store.keys() == [])
  }

  @Test func unreadKeys() throws {
    let store = KeyValueStore(json: try write(#"{"prot": 1}"#, to: "settings.json"))
    for key in try store.unreadKeys() {
      print(key)
    }
    #expect(try store.unreadKeys().map(\.keyPath) == ["prot"])
  }

  @Test func spellingSurvivesAndOrderDoesNot() throws {
    let text = "\u{FEFF}{\r\n  \"z\" :  1.0,\r\n\r\n  \"a\": [1,\r\n 12345678901234567890]\r\n}\r\n"
    let file = try write(text, to: "settings.json")
    try KeyValueStore(json: file).set(1, for: "m")
    #expect(
      try String(contentsOf: file, encoding: .utf8)
        == "{\n  \"a\": [1,\r\n 12345678901234567890],\n  \"m\": 1,\n  \"z\" :  1.0\n}\n")
  }

  @Test func commentsOfEntriesMoveWithThem() throws {
    let file = try write(
      """
      <!-- top -->
      <plist version="1.0">
      <dict>
        <!-- about z -->
        <key>z</key> <integer>0x10</integer>
        <!-- about b -->
        <key>b</key> <array> <!-- inside --> <real>1e3</real></array>
        <!-- end -->
      </dict>
      </plist>
      """, to: "settings.plist")
    let store = KeyValueStore(propertyList: file)
    try store.set(2, for: "m")
    #expect(
      try String(contentsOf: file, encoding: .utf8) == """
        <!-- top -->
        <plist version="1.0">
        <dict>
        \t<!-- about b -->
          <key>b</key> <array> <!-- inside --> <real>1e3</real></array>
        \t<key>m</key>
        \t<integer>2</integer>
        \t<!-- about z -->
          <key>z</key> <integer>0x10</integer>
        \t<!-- end -->
        </dict>
        </plist>
        """)
    try store.set(3, for: "z")
    try store.set([4], for: "b")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("<!-- about z -->"))
    #expect(!text.contains("<!-- inside -->"))
    try store.remove("z")
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("<!-- about z -->"))
  }
}

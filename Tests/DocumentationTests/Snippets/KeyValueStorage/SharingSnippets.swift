import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

/// The code of the article "Sharing a file".
final class SharingSnippets: DirectoryTests {
  @Test func movingAside() throws {
    let file = directory.url.appending(path: "settings.json")
    try Data("{ oops".utf8).write(to: file)
    let store = KeyValueStore(json: file)
    do {
      try store.load()
    } catch KeyValueStoreError.unreadable(let file) {
      print("\(file.place.path) is damaged: \(file.reason)")
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
}

import Foundation
import KeyValueStorage
import TestSupport

/// A suite whose tests have a directory each, with a file of `UserDefaults` and with settings.
class DefaultsFileTests {
  let directory: TemporaryDirectory
  let file: URL
  let store: KeyValueStore

  init() throws {
    directory = try TemporaryDirectory()
    file = directory.url.appending(path: "app.plist")
    store = KeyValueStore(json: directory.url.appending(path: "settings.json"))
  }
}

/// Writes a property list as Foundation's `UserDefaults` does.
func write(_ list: Any, _ format: ListFormat = .xml, to file: URL) throws {
  try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
    .write(to: file)
}

import FoundationEssentials
import KeyValueStorage

/// A JSON file with `count` texts, in a directory that is removed when the process ends.
final class BenchmarkSettings: Sendable {
  let file: URL
  let count: Int

  init(keys count: Int) {
    let directory = FileManager.default.temporaryDirectory.appending(path: "locket-\(UUID())")
    file = directory.appending(path: "settings.json")
    self.count = count
    removeAtExit(directory)
    attempt {
      let store = open()
      try store.transaction {
        for index in 0..<count { setting(index, in: store).wrappedValue = Self.value(index) }
      }
    }
  }

  static func key(_ index: Int) -> String { "key \(index)" }

  /// Returns a value of 32 characters.
  static func value(_ index: Int) -> String {
    let digits = String(index)
    return digits + String(repeating: "x", count: 32 - digits.count)
  }

  func open(_ writes: WritePolicy = .durable) -> KeyValueStore {
    KeyValueStore(json: file, writes: writes)
  }

  func setting(_ index: Int, in store: KeyValueStore) -> StoredValue<String> {
    StoredValue(wrappedValue: "", Self.key(index), in: store)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    attempt { bytes = Array(try Data(contentsOf: file)) }
    return bytes
  }
}

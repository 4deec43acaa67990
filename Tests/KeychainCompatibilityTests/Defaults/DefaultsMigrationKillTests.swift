import CLibrary
import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

@testable import KeychainCompatibility

/// Migrations of settings whose process is killed before they are complete.
struct DefaultsMigrationKillTests {
  private let keys = (0..<20).map { "key \($0)" }

  /// The import is complete with the first half of the progress.
  @Test(arguments: [0, 10, 20, 21, 39, 40])
  func killedRunIsFinishedByTheNext(_ point: Int) throws {
    let directory = try TemporaryDirectory()
    let settings = directory.url.appending(path: "settings.json")
    let source = directory.url.appending(path: "app.plist")
    let values = try Dictionary(
      uniqueKeysWithValues: keys.map { ($0, Data(try HostileFile.list([$0.count, 2], .binary))) })
    let list = try HostileFile.list(values, .xml)
    try Data(list).write(to: source)
    try KeyValueStore(json: settings).set("mine", for: "other")
    let journal = directory("journal")
    let child = try ChildProcess(
      executable: "VaultProcess",
      ["settings", "-", "-", settings.path, source.path, "\(point)"] + keys, output: journal)
    try wait(for: child) {
      let text = String(decoding: try content(of: journal), as: UTF8.self)
      return text.contains("progress\t\(point) of \(2 * keys.count)\n")
    }
    child.stop()
    #expect(child.end() == SIGKILL)

    let store = KeyValueStore(json: settings)
    #expect(try store.value(of: "other") == "mine")
    #expect(try store.keys().count == (point <= keys.count ? 1 : keys.count + 1))
    #expect(try content(of: source.path) == list)
    var migration = DefaultsMigration(into: store)
    for key in keys { migration.convert(key, as: [Int].self) }
    let report = try migration.run(propertyList: source)
    #expect(report.keys(.converted) == keys)
    let other = KeyValueStore(json: settings)
    #expect(try other.keys().count == keys.count + 1)
    for key in keys { #expect(try other.value(of: key) == [key.count, 2]) }
    #expect(try other.value(of: "other") == "mine")
  }
}

import CLibrary
import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

@testable import KeychainCompatibility

/// Migrations of settings whose process is killed before they are complete.
struct DefaultsMigrationKillTests {
  private static let count = 1000

  /// The state after a round: unchanged, imported, converted, or even the source removed.
  private enum Left: Hashable {
    case nothing, imported, converted, removed
  }

  @Test func runOfAKilledProcessIsFinishedByTheNext() throws {
    let keys = (0..<Self.count).map { "key \($0)" }
    let values = try Dictionary(
      uniqueKeysWithValues: keys.map { ($0, Data(try HostileFile.list([$0.count, 2], .binary))) })
    let list = try HostileFile.list(values, .xml)
    var left: [Left: Int] = [:]
    for round in 0..<Campaign.size(sample: 8, full: 200) {
      let directory = try TemporaryDirectory()
      let settings = directory.url.appending(path: "settings.json")
      let source = directory.url.appending(path: "app.plist")
      try Data(list).write(to: source)
      try KeyValueStore(json: settings).set("mine", for: "other")
      let journal = directory("journal")
      let child = try ChildProcess(
        executable: "VaultProcess",
        ["settings", "-", "-", settings.path, source.path] + keys, output: journal)
      // Each round ends at a different point of the work.
      let line = "progress\t\(round % 8 * 2 * Self.count / 8) of"
      try wait {
        let isThere = FileManager.default.fileExists(atPath: journal)
        return try child.hasEnded
          || isThere && String(decoding: content(of: journal), as: UTF8.self).contains(line)
      }
      usleep(UInt32.random(in: 0..<20_000))
      child.stop()
      let status = child.end()
      #expect(status == SIGKILL || status == 0)

      let store = KeyValueStore(json: settings)
      #expect(try store.value(of: "other") == "mine")
      let found = try store.keys()
      // The import is all or nothing, each time.
      #expect(found.count == 1 || found.count == Self.count + 1)
      let isThere = FileManager.default.fileExists(atPath: source.path)
      let isCoded = found.count > 1 && isData(keys[0], in: store)
      left[
        !isThere ? .removed : found.count == 1 ? .nothing : isCoded ? .imported : .converted,
        default: 0] += 1

      if isThere {
        #expect(try content(of: source.path) == list)
        var migration = DefaultsMigration(into: store)
        for key in keys { migration.convert(key, as: [Int].self) }
        let report = try migration.run(propertyList: source)
        #expect(report.entries.allSatisfy { [.converted, .native].contains($0.outcome) })
      }
      let other = KeyValueStore(json: settings)
      #expect(try other.keys().count == Self.count + 1)
      for key in keys { #expect(try other.value(of: key) == [key.count, 2]) }
      #expect(try other.value(of: "other") == "mine")
    }
    // A campaign that never interrupted a migration halfway would prove nothing.
    if Campaign.isFull { #expect(left[.imported, default: 0] > 0, "\(left)") }
  }

  private func isData(_ key: String, in store: KeyValueStore) -> Bool {
    do {
      return try store.value(of: key, as: Data.self) != nil
    } catch {
      return false
    }
  }
}

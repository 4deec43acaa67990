import CLibrary
import FoundationEssentials
import TestSupport
import Testing

@testable import KeychainCompatibility

/// Files that Foundation's `UserDefaults` wrote in another process.
final class UserDefaultsFileTests: DefaultsFileTests {
  private var settings: String { directory("settings.json") }

  /// Runs a job with a home directory of its own, which `variable` sets.
  private func run(_ variable: String, _ mode: String, _ parameters: String...) throws -> String {
    let output = directory("\(mode).out")
    let child = try ChildProcess(
      "/usr/bin/env",
      ["-u", "XDG_CONFIG_HOME", variable, try ChildProcess.path(ofExecutable: "VaultProcess")]
        + [mode, "-", "-"] + parameters, output: output)
    try child.wait()
    return String(decoding: try content(of: output), as: UTF8.self)
  }

  /// The file of a suite with a value of each type.
  private func written() throws -> URL {
    _ = try run("HOME=\(directory.path)", "userDefaults", "com.example.app")
    return directory.url.appending(path: ".config/com.example.app.plist")
  }

  @Test func valueOfEachTypeIsImported() throws {
    let file = try written()
    let before = try content(of: file.path)
    var migration = DefaultsMigration(into: store)
    migration.convert("coded", as: [Int].self)
    migration.convert("coded dictionary", as: [String: Date].self)
    let addresses = ["address", "file", "coded URL"]
    for key in addresses { migration.convert(key, as: URL.self) }
    let plan = try migration.run(propertyList: file, isDryRun: true)
    #expect(try store.keys() == [])
    let report = try migration.run(propertyList: file)
    #expect(report == plan)
    #expect(report.converted == ["coded", "coded dictionary"] + addresses)
    #expect(report.imported.count == 18)

    let other = KeyValueStore(json: URL(filePath: settings))
    func expectStored<Value: Codable & Equatable>(_ key: String, _ value: Value) throws {
      #expect(try other.value(of: key) == value, "\(key)")
    }
    let values: KeyValuePairs<String, any Codable & Equatable> = [
      "flag": true, "integer": 250, "smallest": Int.min, "largest": UInt64.max, "double": 0.5,
      "infinity": Double.infinity, "float": Float(1.5), "text": "Eliška <&>\n", "empty": "",
      "date": Date(timeIntervalSince1970: 1_600_000_000), "data": Data([1, 2, 255]),
      "coded": [1, 2], "coded dictionary": ["born": Date(timeIntervalSince1970: 0.5)],
      "address": URL(string: "https://example.com/a?b")!, "file": URL(filePath: "/a%20b/c d"),
      "coded URL": URL(string: "https://example.com/b")!,
    ]
    for (key, value) in values { try expectStored(key, value) }
    #expect(try other.value(of: "array", as: Mixed.self) != nil)
    #expect(try other.value(of: "dictionary", as: Dated.self)?.numbers == [1.5])
    #expect(try content(of: file.path) == before)

    let stored = try content(of: settings)
    let again = try migration.run(propertyList: file)
    #expect(try again.imported == [] && content(of: settings) == stored)
    #expect(again.native == report.converted)
  }

  /// An array of values of three types.
  private struct Mixed: Decodable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      #expect(try container.decode(Int.self) == 1)
      #expect(try container.decode(String.self) == "a")
      #expect(try container.decode([String: Bool].self) == ["flag": true])
      #expect(container.isAtEnd)
    }
  }

  private struct Dated: Codable {
    let date: Date
    let numbers: [Double]
  }

  @Test func untypedPropertyListsAreDecoded() throws {
    let file = try written()
    var migration = DefaultsMigration(into: store)
    migration.decodePropertyLists(except: ["coded"])
    let report = try migration.run(propertyList: file, removingSource: true)
    #expect(report.decoded == ["address", "coded URL", "coded dictionary"])
    #expect(report.isSourceRemoved)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(try store.value(of: "coded dictionary") == ["born": Date(timeIntervalSince1970: 0.5)])
    #expect(try store.value(of: "address") == "https://example.com/a?b")
    #expect(try store.value(of: "coded URL") == URL(string: "https://example.com/b"))
    #expect(try store.value(of: "file") == "/a%20b/c d")
    #expect(try store.value(of: "coded", as: Data.self)?.starts(with: Data("bplist".utf8)) == true)
    #expect(try store.value(of: "data") == Data([1, 2, 255]))
  }

  @Test(arguments: ["HOME=", "XDG_CONFIG_HOME="])
  func suiteIsFoundInTheDirectoryOfFoundation(_ variable: String) throws {
    let variable = variable + directory.path
    _ = try run(variable, "userDefaults", "com.example.app")
    #expect(try run(variable, "suite", "com.example.app", settings) == "18\n")
    #expect(try store.keys().count == 18)
  }

  @Test(arguments: HostileFile.allCases)
  func hostileFileChangesNothing(_ kind: HostileFile) throws {
    var migration = DefaultsMigration(into: store)
    migration.decodePropertyLists()
    for bytes in try kind.files() {
      try kind.write(bytes, to: file.path)
      if kind == .shared {
        // Only one value is refused.
        let report = try migration.run(propertyList: file, removingSource: true)
        #expect(report.refused.count == 1 && !report.isSourceRemoved)
      } else {
        #expect(throws: KeyValueStoreError.self) {
          try migration.run(propertyList: file, removingSource: true)
        }
      }
      #expect(try content(of: file.path).starts(with: bytes))
    }
    #expect(try store.keys() == [])
    #expect(!FileManager.default.fileExists(atPath: settings))
  }

  @Test(arguments: HostileFile.lists.indices)
  func hostileListInDataStaysData(number: Int) throws {
    let list = Data(HostileFile.lists[number])
    let values = ["nested": list, "data": list, "untyped": list]
    try encoded(values).write(to: file)
    var migration = DefaultsMigration(into: store)
    migration.convert("nested", as: Nested.self)
    migration.convert("data", as: Data.self)
    migration.decodePropertyLists()
    let report = try migration.run(propertyList: file)
    #expect(report.decoded == [])
    #expect(report.refused == ["nested": "It is not a property list of type Nested."])
    #expect(report.native == ["data"])
    for key in values.keys { #expect(try store.value(of: key) == list) }
  }

  /// An array of such arrays, which is endless in a list that contains itself.
  private struct Nested: Codable {
    let elements: [Nested]

    init(from decoder: any Decoder) throws {
      elements = try decoder.singleValueContainer().decode([Nested].self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(elements)
    }
  }

  /// The import is complete with the first half of the progress.
  @Test(arguments: [0, 10, 20, 21, 39, 40])
  func killedRunIsFinishedByTheNext(_ point: Int) throws {
    let keys = (0..<20).map { "key \($0)" }
    let values = try Dictionary(
      uniqueKeysWithValues: keys.map { ($0, try encoded([$0.count, 2])) })
    let list = try encoded(values, .xml)
    try list.write(to: file)
    try store.set("mine", for: "other")
    let journal = directory("journal")
    let child = try ChildProcess(
      executable: "VaultProcess",
      ["settings", "-", "-", settings, file.path, "\(point)"] + keys, output: journal)
    try wait(for: child) {
      let text = String(decoding: try content(of: journal), as: UTF8.self)
      return text.contains("progress\t\(point) of \(2 * keys.count)\n")
    }
    child.stop()
    #expect(child.end() == SIGKILL)

    let next = KeyValueStore(json: URL(filePath: settings))
    #expect(try next.value(of: "other") == "mine")
    #expect(try next.keys().count == (point <= keys.count ? 1 : keys.count + 1))
    #expect(try content(of: file.path) == Array(list))
    var migration = DefaultsMigration(into: next)
    for key in keys { migration.convert(key, as: [Int].self) }
    #expect(try migration.run(propertyList: file).converted == keys)
    let last = KeyValueStore(json: URL(filePath: settings))
    #expect(try last.keys().count == keys.count + 1)
    for key in keys { #expect(try last.value(of: key) == [key.count, 2]) }
    #expect(try last.value(of: "other") == "mine")
  }

  @Test func otherThanAFileIsAnError() throws {
    for path in [directory.path, "/dev/null", directory("none")] {
      #expect(throws: KeyValueStoreError.self) {
        try DefaultsMigration(into: store).run(propertyList: URL(filePath: path))
      }
    }
    #expect(throws: KeyValueStoreError.invalid("The URL must be a file URL.")) {
      let address = try #require(URL(string: "https://example.com"))
      try DefaultsMigration(into: store).run(propertyList: address)
    }
  }
}

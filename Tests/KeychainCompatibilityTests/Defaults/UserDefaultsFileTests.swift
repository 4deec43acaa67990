import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

@testable import KeychainCompatibility

/// Files that Foundation's `UserDefaults` wrote in another process.
struct UserDefaultsFileTests {
  private let directory: TemporaryDirectory
  private let store: KeyValueStore

  init() throws {
    directory = try TemporaryDirectory()
    store = KeyValueStore(json: directory.url.appending(path: "settings.json"))
  }

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
    migration.convert("address", as: URL.self)
    migration.convert("file", as: URL.self)
    migration.convert("coded URL", as: URL.self)
    let plan = try migration.run(propertyList: file, isDryRun: true)
    #expect(try store.keys() == [])
    let report = try migration.run(propertyList: file)
    #expect(report == plan)
    #expect(
      report.keys(.converted) == ["coded", "coded dictionary", "address", "file", "coded URL"])
    #expect(report.imported.imported.count == 18)

    let other = KeyValueStore(json: URL(filePath: settings))
    #expect(try other.value(of: "flag") == true)
    #expect(try other.value(of: "integer") == 250)
    #expect(try other.value(of: "smallest") == Int.min)
    #expect(try other.value(of: "largest") == UInt64.max)
    #expect(try other.value(of: "double") == 0.5)
    #expect(try other.value(of: "infinity") == Double.infinity)
    #expect(try other.value(of: "float") == Float(1.5))
    #expect(try other.value(of: "text") == "Eliška <&>\n")
    #expect(try other.value(of: "empty") == "")
    #expect(try other.value(of: "date") == Date(timeIntervalSince1970: 1_600_000_000))
    #expect(try other.value(of: "data") == Data([1, 2, 255]))
    #expect(try other.value(of: "array", as: Mixed.self) != nil)
    #expect(try other.value(of: "dictionary", as: Dated.self)?.numbers == [1.5])
    #expect(try other.value(of: "coded") == [1, 2])
    #expect(
      try other.value(of: "coded dictionary") == ["born": Date(timeIntervalSince1970: 0.5)])
    #expect(try other.value(of: "address") == URL(string: "https://example.com/a?b"))
    #expect(try other.value(of: "file") == URL(filePath: "/a%20b/c d"))
    #expect(try other.value(of: "coded URL") == URL(string: "https://example.com/b"))
    #expect(try content(of: file.path) == before)

    let again = try migration.run(propertyList: file)
    #expect(again.imported.imported == [])
    #expect(
      again.keys(.native) == ["coded", "coded dictionary", "address", "file", "coded URL"])
  }

  /// An array of values of three types.
  private struct Mixed: Codable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      #expect(try container.decode(Int.self) == 1)
      #expect(try container.decode(String.self) == "a")
      #expect(try container.decode([String: Bool].self) == ["flag": true])
      #expect(container.isAtEnd)
    }

    func encode(to encoder: any Encoder) throws {}
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
    #expect(
      try store.value(of: "coded dictionary") == ["born": Date(timeIntervalSince1970: 0.5)])
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

  @Test func binaryFileIsRead() throws {
    let list = try HostileFile.list(["a": [1], "b": [2, 3]], .binary)
    let file = directory.url.appending(path: "app.plist")
    try Data(list).write(to: file)
    try DefaultsMigration(into: store).run(propertyList: file)
    #expect(try store.value(of: "a") == [1])
    #expect(try store.value(of: "b") == [2, 3])
  }

  @Test(arguments: HostileFile.allCases)
  func hostileFileChangesNothing(_ kind: HostileFile) throws {
    let file = directory.url.appending(path: "app.plist")
    var migration = DefaultsMigration(into: store)
    migration.decodePropertyLists()
    for bytes in try kind.files() {
      try kind.write(bytes, to: file.path)
      #expect(throws: KeyValueStoreError.self) {
        try migration.run(propertyList: file, removingSource: true)
      }
      #expect(try content(of: file.path).starts(with: bytes))
    }
    #expect(try store.keys() == [])
    #expect(!FileManager.default.fileExists(atPath: settings))
  }

  @Test func hostileListInDataStaysData() throws {
    let cyclic = Data(HostileFile.cyclicList)
    let values = ["cyclic": cyclic, "cut": Data(try HostileFile.list([1], .binary).dropLast())]
    let file = directory.url.appending(path: "app.plist")
    try Data(try HostileFile.list(values, .xml)).write(to: file)
    var migration = DefaultsMigration(into: store)
    migration.decodePropertyLists()
    let report = try migration.run(propertyList: file)
    #expect(report.decoded == [] && report.imported.imported == ["cut", "cyclic"])
    #expect(try store.value(of: "cyclic") == cyclic)

    migration.convert("cyclic", as: Nested.self)
    let typed = try migration.run(propertyList: file)
    #expect(
      typed.keys(.refused("It is not a property list of type Nested.")) == ["cyclic"])
    #expect(try store.value(of: "cyclic") == cyclic)
  }

  @Test(arguments: [0, 1])
  func deepListInDataStaysData(number: Int) throws {
    let list = HostileFile.deepLists[number]
    let file = directory.url.appending(path: "app.plist")
    let values = ["nested": Data(list), "data": Data(list)]
    try Data(try HostileFile.list(values, .binary)).write(to: file)
    var migration = DefaultsMigration(into: store)
    migration.convert("nested", as: Nested.self)
    migration.convert("data", as: Data.self)
    let report = try migration.run(propertyList: file)
    #expect(
      report.entries.map(\.outcome) == [
        .refused("It is not a property list of type Nested."), .native,
      ])
    #expect(try store.value(of: "data") == Data(list))
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

import Foundation
import TestSupport
import Testing

@testable import KeychainCompatibility

final class DefaultsMigrationTests: DefaultsFileTests {
  private let person = Person(age: 15, name: "Peter")

  override init() throws {
    try super.init()
    // The file as Foundation's `UserDefaults` writes it, with the values of 1.x.
    let values: [String: Any] = [
      "person": try encoded(person),
      "list": try encoded([1, 2]), "number": 250, "text": "Eliska", "bytes": Data([1, 2, 3]),
      "other": try encoded(["a": 1]),
    ]
    try write(values, to: file)
  }

  private var source: String { file.path }

  private func migration(in store: KeyValueStore) -> DefaultsMigration {
    var migration = DefaultsMigration(into: store)
    migration.convert("person", as: Person.self)
    migration.convert("list", as: [Int].self)
    migration.convert("number", as: Int.self)
    migration.convert("bytes", as: Data.self)
    migration.convert("absent", as: [Int].self)
    migration.convert("other", as: Person.self)
    return migration
  }

  @Test func codedValuesAreConverted() throws {
    let before = try content(of: source)
    let plan = try migration(in: store).run(propertyList: file, isDryRun: true)
    #expect(try store.keys() == [])

    let report = try migration(in: store).run(propertyList: file)
    #expect(report == plan)
    #expect(report.imported == ["bytes", "list", "number", "other", "person", "text"])
    #expect(report.converted == ["person", "list"])
    #expect(report.native == ["number", "bytes"])
    #expect(report.absent == ["absent"])
    #expect(report.refused == ["other": "It is not a property list of type Person."])

    let other = KeyValueStore(json: directory.url.appending(path: "settings.json"))
    #expect(StoredValue<Person?>("person", in: other).wrappedValue == person)
    #expect(StoredValue<[Int]?>("list", in: other).wrappedValue == [1, 2])
    #expect(StoredValue<Int?>("number", in: other).wrappedValue == 250)
    #expect(StoredValue<String?>("text", in: other).wrappedValue == "Eliska")
    #expect(StoredValue<Data?>("bytes", in: other).wrappedValue == Data([1, 2, 3]))
    #expect(try content(of: source) == before)
  }

  @Test func existingKeysKeepTheirValues() throws {
    let mine = Person(age: 30, name: "mine")
    try store.set(mine, for: "person")
    try store.set("a text", for: "list")
    let plan = try migration(in: store).run(propertyList: file, isDryRun: true)
    let report = try migration(in: store).run(propertyList: file)
    #expect(report == plan)
    #expect(report.kept == ["list", "person"])
    #expect(report.native == ["person", "number", "bytes"])
    #expect(report.refused["list"] == "It is not of type Array<Int>.")
    #expect(try store.value(of: "person") == mine)
    #expect(try store.value(of: "list") == "a text")
  }

  /// The values that an app of 1.x may have under a key of the type `Data`.
  private static func data(_ format: ListFormat) throws -> [String: Data] {
    let coded = try encoded(Data([1, 2, 3]), format)
    return try [
      "bytes": Data([1, 2, 3]), "coded": coded, "empty": encoded(Data(), format),
      "large": encoded(Data(count: 100_000), format), "twice": encoded(coded, format),
      "list": encoded([1, 2], format), "text": Data("YnBsaXN0".utf8),
      "cut": Data(coded.dropLast(20)),
    ]
  }

  /// The value that the getter of 1.x returns for `Data` in `UserDefaults`.
  private static func getter(_ data: Data) -> Data {
    do {
      return try PropertyListDecoder().decode(Data.self, from: data)
    } catch {
      return data
    }
  }

  @Test(arguments: [ListFormat.xml, .binary])
  func dataHasTheBytesOfTheGetterOf1x(format: ListFormat) throws {
    let values = try Self.data(format)
    try write(values, format, to: file)
    var migration = DefaultsMigration(into: store)
    for key in values.keys { migration.convert(key, as: Data.self) }
    let plan = try migration.run(propertyList: file, isDryRun: true)
    // An earlier run ended between the import and the conversion.
    try store.import(UserDefaultsFile(source))
    let report = try migration.run(propertyList: file)
    #expect(report.converted == plan.converted && report.unchanged == values.keys.sorted())
    #expect(Set(report.converted) == ["coded", "empty", "large", "twice"])
    #expect(Set(report.native) == ["bytes", "list", "text", "cut"])
    for _ in 0..<2 {
      for (key, data) in values { #expect(try store.value(of: key) == Self.getter(data), "\(key)") }
      // Bytes that again look like a list of 1.x are the store's own now.
      #expect(try migration.run(propertyList: file).converted == [])
    }
    let replaced = try migration.run(propertyList: file, replacing: true, removingSource: true)
    #expect(replaced.isSourceRemoved)
    #expect(try store.value(of: "twice") == Self.getter(values["twice"]!))
  }

  @Test func untypedDataHasTheBytesOfTheGetterOf1x() throws {
    let values = try Self.data(.binary)
    try write(values, to: file)
    var migration = DefaultsMigration(into: store)
    migration.decodePropertyLists(except: ["empty"])
    let report = try migration.run(propertyList: file, removingSource: true)
    #expect(report.decoded == ["coded", "large", "list", "twice"] && report.isSourceRemoved)
    #expect(report.undeclared == [])
    for key in ["bytes", "coded", "large", "twice", "text", "cut"] {
      #expect(try store.value(of: key) == Self.getter(values[key]!), "\(key)")
    }
    #expect(try store.value(of: "list") == [1, 2])
    #expect(try store.value(of: "empty") == values["empty"])
  }

  @Test func dataIsNotTakenForAnotherType() throws {
    // JSON stores data as text.
    var migration = migration(in: store)
    migration.convert("bytes", as: String.self)
    let report = try migration.run(propertyList: file)
    #expect(report.refused["bytes"] == "It is not a property list of type String.")
    #expect(try store.value(of: "bytes") == Data([1, 2, 3]))
  }

  @Test func undeclaredKeysAreReported() throws {
    let report = try DefaultsMigration(into: store).run(propertyList: file)
    #expect(report.undeclared == ["list", "other", "person"])
  }

  @Test func missingFileImportsNothing() throws {
    let report = try migration(in: store).run(userDefaults: "none-\(UUID())")
    #expect(report.imported == [] && report.absent.count == 6)
    #expect(try store.keys() == [])
  }

  @Test func progressIsReportedAndCanCancel() throws {
    // Six keys of the file, and six declared keys.
    for limit in 0...12 {
      let store = KeyValueStore()
      var told: [Int] = []
      #expect(throws: KeyValueStoreError.cancelled) {
        try migration(in: store).run(propertyList: file) { progress in
          told.append(progress.completed)
          #expect(progress.total == 12)
          return progress.completed == limit ? .cancel : .proceed
        }
      }
      #expect(told == Array(0...limit))
      // The import is all or nothing, and nothing is converted.
      #expect(try store.keys().count == (limit <= 6 ? 0 : 6))
      #expect(try store.keys().isEmpty || store.value(of: "list", as: Data.self) != nil)
      #expect(try migration(in: store).run(propertyList: file).converted == ["person", "list"])
    }
    var told: [Int] = []
    try migration(in: store).run(propertyList: file, isDryRun: true) { progress in
      told.append(progress.completed)
      return .proceed
    }
    #expect(told == Array(0...12))
    #expect(try store.keys() == [])
  }

  @Test func fileIsRemovedOnceAllOfItIsImported() throws {
    try store.set("mine", for: "text")
    let plan = try migration(in: store).run(
      propertyList: file, replacing: true, isDryRun: true, removingSource: true)
    #expect(plan.replaced == ["text"] && !plan.isSourceRemoved)
    let kept = try migration(in: store).run(propertyList: file, removingSource: true)
    #expect(kept.kept == ["text"] && !kept.isSourceRemoved)
    #expect(try store.value(of: "text") == "mine")
    #expect(FileManager.default.fileExists(atPath: source))

    let replaced = try migration(in: store).run(
      propertyList: file, replacing: true, removingSource: true)
    #expect(replaced.replaced == ["list", "person", "text"])
    #expect(replaced.isSourceRemoved && replaced.converted == ["person", "list"])
    #expect(!FileManager.default.fileExists(atPath: source))
    let other = KeyValueStore(json: directory.url.appending(path: "settings.json"))
    #expect(try other.value(of: "text") == "Eliska")
    #expect(try other.value(of: "person") == person)
  }

  @Test func symbolicLinkIsNotRemoved() throws {
    let link = directory("link.plist")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: source)
    #expect(throws: KeyValueStoreError.self) {
      try migration(in: store).run(propertyList: URL(filePath: link), removingSource: true)
    }
    #expect(try store.keys() == [])
    try migration(in: store).run(propertyList: URL(filePath: link))
    #expect(try store.keys().count == 6)
  }

  @Test func changedFileIsNotRemoved() throws {
    let overwrite = { [file] (progress: MaintenanceProgress) -> MaintenanceProgress.Decision in
      do {
        if progress.completed == 12 { try Data("new".utf8).write(to: file) }
        return .proceed
      } catch {
        return .cancel
      }
    }
    let changed = "\(source) was not removed: it was changed after it was read."
    #expect(throws: KeyValueStoreError.unavailable(changed)) {
      try migration(in: store).run(propertyList: file, removingSource: true, reporting: overwrite)
    }
    #expect(try content(of: source) == Array("new".utf8))
    #expect(try store.keys().count == 6)
  }

  @Test func relativePathIsNoFileURL() throws {
    let path = try #require(URL(string: "/a/b"))
    try store.set(path, for: "page")
    var migration = DefaultsMigration(into: store)
    migration.convert("page", as: URL.self)
    for isDryRun in [true, false] {
      #expect(try migration.run(propertyList: file, isDryRun: isDryRun).native == ["page"])
    }
    #expect(try store.value(of: "page") == path)
  }
}

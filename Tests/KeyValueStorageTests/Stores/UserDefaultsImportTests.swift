import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

struct UserDefaultsImportTests {
  @Test(arguments: KeyValueFormat.allCases)
  func fileOfUserDefaultsIsImported(_ format: KeyValueFormat) throws {
    let source = try TestFile(.xml)
    // Foundation's `UserDefaults` of Swift 6.3 wrote it on Linux.
    let written = try Fixture.text("user-defaults.plist")
    try source.overwrite(written)
    let file = try TestFile(format)
    let store = file.open()
    try store.set("mine", for: "name")
    try store.set(true, for: "flag")
    let plan = try store.import(UserDefaultsFile(source.path), isDryRun: true)
    #expect(plan.imported == ["data", "date", "list", "volume"])
    #expect(plan.kept == ["name"])
    #expect(plan.unchanged == ["flag"])
    #expect(try store.keys() == ["flag", "name"])
    #expect(try store.import(UserDefaultsFile(source.path)) == plan)
    let other = file.open()
    #expect(try other.value(of: "data") == Data([1, 2]))
    #expect(try other.value(of: "date") == Date(timeIntervalSince1970: 1_795_277_166))
    #expect(try other.value(of: "list") == [1, 2])
    #expect(try other.value(of: "name") == "mine")
    #expect(try other.value(of: "volume") == 0.5)
    #expect(try source.text == written)
    let again = try store.import(UserDefaultsFile(source.path))
    #expect(again.imported == [])
    #expect(again.unchanged == ["data", "date", "flag", "list", "volume"])
  }

  @Test(arguments: [
    "{\n\t\"own\": 1\n}\n", "{\n    \"own\": 1\n}\n", "{\r\n  \"own\": 1\r\n}\r\n",
    "{\"own\": 1}\n", "{\n\t// mine\n\t\"own\": 1\n}\n",
  ])
  func importedValuesAreTheSameInEachLayout(_ text: String) throws {
    let (source, file) = (try TestFile(.xml), try TestFile())
    try source.overwrite(try Fixture.text("user-defaults.plist"))
    let defaults = try UserDefaultsFile(source.path)
    try file.overwrite(text)
    let store = KeyValueStore(json: URL(filePath: file.path), syntax: .allowingComments)
    let keys = try store.import(defaults).imported
    #expect(keys == ["data", "date", "flag", "list", "name", "volume"])
    // What a person has spelled otherwise stays as well.
    let written = try file.text.replacing("0.5", with: "5e-1")
    try file.overwrite(written)
    for replacing in [false, true] {
      let again = try store.import(defaults, replacing: replacing)
      #expect(again.unchanged == keys && again.kept == [] && again.replaced == [])
    }
    #expect(try store.keysNotImported(from: defaults.values) == [])
    #expect(try file.text == written)
    try store.set([2, 1], for: "list")
    #expect(try store.import(defaults).kept == ["list"])
    #expect(try store.keysNotImported(from: defaults.values) == ["list"])
  }

  @Test func missingOrDamagedFileImportsNothing() throws {
    let source = try TestFile(.xml)
    let store = KeyValueStore()
    #expect(try store.import(UserDefaultsFile(source.path)).imported == [])
    try source.overwrite("<plist><dict>")
    #expect(throws: KeyValueStoreError.self) { try store.import(UserDefaultsFile(source.path)) }
    #expect(try store.keys() == [])
  }
}

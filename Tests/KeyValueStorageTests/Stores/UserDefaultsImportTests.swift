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

  @Test func missingOrDamagedFileImportsNothing() throws {
    let source = try TestFile(.xml)
    let store = KeyValueStore()
    #expect(try store.import(UserDefaultsFile(source.path)).imported == [])
    try source.overwrite("<plist><dict>")
    #expect(throws: KeyValueStoreError.self) { try store.import(UserDefaultsFile(source.path)) }
    #expect(try store.keys() == [])
  }
}

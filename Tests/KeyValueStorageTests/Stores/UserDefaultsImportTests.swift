import FoundationEssentials
import StorageInternals
import Testing

@testable import KeyValueStorage

struct UserDefaultsImportTests {
  /// A file that Foundation's `UserDefaults` of Swift 6.3 wrote on Linux.
  private let written = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>data</key>
    \t<data>
    \tAQI=
    \t</data>
    \t<key>date</key>
    \t<date>2026-11-21T16:06:06Z</date>
    \t<key>flag</key>
    \t<true/>
    \t<key>list</key>
    \t<array>
    \t\t<integer>1</integer>
    \t\t<integer>2</integer>
    \t</array>
    \t<key>name</key>
    \t<string>x</string>
    \t<key>volume</key>
    \t<real>0.5</real>
    </dict>
    </plist>

    """

  @Test(arguments: KeyValueFormat.allCases)
  func whatUserDefaultsLeftIsImported(_ format: KeyValueFormat) throws {
    let source = try TestFile(.xmlPropertyList)
    try source.overwrite(written)
    let file = try TestFile(format)
    let store = file.open()
    try store.set("mine", for: "name")
    try store.set(true, for: "flag")

    let plan = try store.import(UserDefaultsFile(source.path), dryRun: true)
    #expect(plan.imported == ["data", "date", "list", "volume"])
    #expect(plan.kept == ["name"])
    #expect(plan.unchanged == ["flag"])
    #expect(try store.keys() == ["flag", "name"])

    #expect(try store.import(UserDefaultsFile(source.path), dryRun: false) == plan)
    let other = file.open()
    #expect(try other.value(of: "data") == Data([1, 2]))
    #expect(try other.value(of: "date") == Date(timeIntervalSince1970: 1_795_277_166))
    #expect(try other.value(of: "list") == [1, 2])
    #expect(try other.value(of: "name") == "mine")
    #expect(try other.value(of: "volume") == 0.5)
    #expect(try source.text == written)

    let again = try store.import(UserDefaultsFile(source.path), dryRun: false)
    #expect(again.imported == [])
    #expect(again.unchanged == ["data", "date", "flag", "list", "volume"])
  }

  @Test func nothingIsImportedFromAMissingOrADamagedFile() throws {
    let source = try TestFile(.xmlPropertyList)
    let store = KeyValueStore()
    #expect(try store.import(UserDefaultsFile(source.path), dryRun: false).imported == [])
    try source.overwrite("<plist><dict>")
    #expect(throws: KeyValueStoreError.self) {
      try store.import(UserDefaultsFile(source.path), dryRun: false)
    }
    #expect(try store.keys() == [])
  }
}

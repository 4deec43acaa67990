import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

struct MigrateDefaultsTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  private func migrate(_ arguments: String...) throws -> Ended {
    try machine.run(["migrate", "defaults"] + arguments)
  }

  private struct Values: Encodable {
    let volume = 0.5
    let name = "Peter"
    let started = Date(timeIntervalSince1970: 1_600_000_000)
    let picture = Data([1, 2, 255])
    let scores: Data
    let raw: Data
  }

  /// A file as `UserDefaults` writes it.
  private func propertyList() throws -> String {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let coded = try encoder.encode([1, 2])
    encoder.outputFormat = .xml
    let list = try encoder.encode(Values(scores: coded, raw: coded))
    return try machine.file("app.plist", String(decoding: list, as: UTF8.self))
  }

  @Test func settingsMigrateAndTheFileIsRemoved() throws {
    let file = try propertyList()
    let all = ["--keep-data", "raw", "--remove-source"]
    let dry = try machine.run(["migrate", "defaults", file, "--dry-run"] + all)
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(
      dry.output == """
        added: name
        added: picture
        added: raw
        added (decoded): scores
        added: started
        added: volume

        """)
    #expect(try machine.output("settings list") == "")
    try machine.set("name", to: "\"mine\"")

    let kept = try machine.run(["migrate", "defaults", file] + all)
    #expect(
      kept.output == """
        kept: name
        added: picture
        added: raw
        added (decoded): scores
        added: started
        added: volume
        The file was kept, because the settings do not contain all of its values.

        """)
    #expect(try machine.output("settings get name") == "\"mine\"\n")

    let done = try machine.run(["migrate", "defaults", file, "--replace"] + all)
    #expect(
      done.output == """
        replaced: name
        identical: picture
        identical: raw
        identical (decoded): scores
        identical: started
        identical: volume
        The file was removed.

        """)
    #expect(!machine.exists("app.plist"))
    let settings = KeyValueStore(json: machine.settingsFile)
    #expect(try settings.value(of: "name") == "Peter")
    #expect(try settings.value(of: "scores") == [1, 2])
    #expect(try settings.value(of: "started") == Date(timeIntervalSince1970: 1_600_000_000))
    #expect(try settings.value(of: "picture") == Data([1, 2, 255]))
    #expect(try settings.value(of: "raw", as: Data.self)?.starts(with: Data("bplist".utf8)) == true)
    #expect(try settings.value(of: "volume") == 0.5)
  }

  @Test func otherSettingsFileCanBeNamed() throws {
    let file = try propertyList()
    let ended = try migrate(file, "--file", machine.path("other.plist"))
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(machine.exists("app.plist"))
    let other = KeyValueStore(propertyList: URL(filePath: machine.path("other.plist")))
    #expect(try other.value(of: "scores") == [1, 2])
    #expect(try machine.output("settings list") == "")
  }

  @Test func refusedValueIsPrintedAndTheFileIsKept() throws {
    let file = try machine.file(
      "app.plist",
      "<plist><dict><key>a</key><string>\u{1}</string><key>b</key><date>x</date></dict></plist>")
    let ended = try migrate(file, "--remove-source")
    #expect(ended.status == 1 && machine.exists("app.plist"))
    #expect(ended.output.hasPrefix("added: a\nrefused (It cannot be read: invalid date; "))
    #expect(ended.output.contains("): b\nThe file was kept"))
    #expect(try KeyValueStore(json: machine.settingsFile).value(of: "a") == "\u{1}")
    #expect(try machine.output("settings list") != "")
  }

  @Test func unreadableFileIsAnErrorAndIsKept() throws {
    let malformed = try machine.file("app.plist", "<plist><dict>\n<key>hunter2</key>")
    let ended = try migrate(malformed, "--remove-source")
    #expect(ended.status == 2)
    #expect(ended.output == "")
    #expect(ended.errors.hasPrefix("locket: \(malformed) cannot be read: "))
    #expect(ended.errors.contains("(line 2). Nothing was migrated."))
    #expect(!ended.errors.contains("move-aside") && !ended.errors.contains("hunter2"))
    let empty = try migrate(machine.file("empty.plist", ""))
    #expect(empty.errors.hasSuffix("empty.plist is empty. Nothing was migrated.\n"))
    let missing = try migrate("/nowhere")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("/nowhere does not exist."))
    #expect(try migrate(machine.home.path).status == 2)
    #expect(machine.exists("app.plist"))

    // What is wrong with the settings themselves is said of them.
    let file = try propertyList()
    let settings = try machine.file("settings.json", "{")
    let unreadable = try migrate(file, "--file", settings, "--remove-source")
    #expect(unreadable.status == 2)
    #expect(unreadable.errors.contains("\(settings) cannot be read at line 1"))
    #expect(machine.exists("app.plist"))
  }
}

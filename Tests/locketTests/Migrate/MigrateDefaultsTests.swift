import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

final class MigrateDefaultsTests: ToolTests {
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
    let coded = try encoded([1, 2])
    let list = try encoded(Values(scores: coded, raw: coded), .xml)
    return try machine.file("app.plist", String(decoding: list, as: UTF8.self))
  }

  @Test func settingsMigrateAndTheFileIsRemoved() throws {
    _ = try propertyList()
    try expectTranscript()
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
    try machine.output("migrate defaults \(file) --file", machine.path("other.plist"))
    #expect(machine.exists("app.plist"))
    let other = KeyValueStore(propertyList: URL(filePath: machine.path("other.plist")))
    #expect(try other.value(of: "scores") == [1, 2])
    #expect(try machine.output("settings list") == "")
  }

  @Test func secondMigrationFindsTheSameValues() throws {
    let file = try propertyList()
    let own = try machine.file("own.json", "{\n    \"own\": 1\n}\n")
    try machine.output("migrate defaults \(file) --file", own)
    let text = try machine.text("own.json")
    let lines = try machine.output("migrate defaults \(file) --remove-source --file", own)
      .split(separator: "\n")
    #expect(lines.last == "The file was removed." && lines.count > 5)
    #expect(lines.dropLast().allSatisfy { $0.hasPrefix("identical") }, "\(lines)")
    #expect(try machine.text("own.json") == text)
    #expect(!machine.exists("app.plist"))
  }

  @Test func refusedValueIsPrintedAndTheFileIsKept() throws {
    try expectTranscript()
    #expect(try KeyValueStore(json: machine.settingsFile).value(of: "a") == "\u{1}")
  }
}

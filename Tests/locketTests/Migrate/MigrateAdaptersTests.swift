import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

final class MigrateAdaptersTests: ToolTests {
  /// A value as an app would have it.
  private func value<Value: Codable & Sendable>(_ account: String) -> Value? {
    PasswordItem<Value>(.generic(service: "app", account: account), in: machine.vault).value
  }

  private struct Person: Codable, Equatable {
    let name: String
    let born: Date
    let age: Int
  }

  @Test func ambiguousValueIsConvertedOnceDeclared() throws {
    try expectTranscript()
    #expect(value("title") == "The Valley Wind")
    #expect(value("count") == 15)
    #expect(value("a=b") == "password")
    let born = Date(timeIntervalSinceReferenceDate: 0.5)
    #expect(value("person") == Person(name: "Anna", born: born, age: 15))
    #expect(value("text") == "plain text")
  }

  @Test func everyTypeHasAName() throws {
    let values = [
      ("data", #""AQL/""#), ("float", "0.1"), ("double", "15"), ("boolean", "false"),
      ("url", #""https:\/\/x.org""#), ("enum", #""high""#), ("plain", #"["Anna", "Peter"]"#),
      ("date", "1600000000"), ("list", #"["AQL/"]"#),
    ]
    for (account, json) in values { try machine.store(json, "--service app --account \(account)") }
    let types = values.dropLast().flatMap { ["--type", "\($0.0)=\($0.0)"] }
    let words = "migrate adapters --service app --dates seconds --type list=[\"data\"]".words
    let output = try machine.run(words + types).success
    #expect(output.split(separator: "\n").allSatisfy { $0.hasPrefix("converted: ") })
    #expect(value("data") == Data([1, 2, 255]))
    #expect(value("float") == Float(0.1))
    #expect(value("double") == 15.0)
    #expect(value("boolean") == false)
    #expect(value("url") == URL(string: "https://x.org"))
    #expect(value("enum") == Level.high)
    #expect(value("list") == [Data([1, 2, 255])])
    #expect(value("date") == Date(timeIntervalSince1970: 1_600_000_000))
    #expect(value("plain") == ["Anna", "Peter"])
  }

  private enum Level: String, Codable { case high }
}

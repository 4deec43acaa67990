import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

struct MigrateAdaptersTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  private func migrate(_ arguments: [String] = []) throws -> Ended {
    try machine.run("migrate adapters --service app".words + arguments)
  }

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
    let person = #"{"name":"Anna","born":0.5,"age":15}"#
    try machine.store(#""The Valley Wind""#, "--service app --account title")
    try machine.store("15", "--service app --account count")
    try machine.store(#""password""#, "--service app --account a=b")
    try machine.store(person, "--service app --account person")
    try machine.store("plain text", "--service app --account text")
    try machine.store("1", "--service other --account count")

    let undeclared = """
      converted: --service app --account title
      refused (It may be an integer, another number or a date. Declare its type.): \
      --service app --account count
      refused (It may be a string or data. Declare its type.): --service app --account a=b
      refused (A nested value may be an integer, another number or a date. Declare its type.): \
      --service app --account person
      kept (not JSON): --service app --account text

      """
    let dry = try migrate(["--dry-run"])
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.output == undeclared)
    #expect(
      try machine.output("secrets get --service app --account title") == "\"The Valley Wind\"\n")

    // Done is what can be done, and the status tells that something is left.
    let partial = try migrate()
    #expect(partial.status == 1, "\(partial.errors)")
    #expect(partial.output == undeclared)

    let types = [
      "--type", "count=integer", "--type", "a=b=string", "--type",
      #"person={"name": "string", "born": "date", "age": "integer"}"#, "--type", "none=data",
    ]
    let done = try migrate(types)
    #expect(
      done.output == """
        already converted: --service app --account title
        converted: --service app --account count
        converted: --service app --account a=b
        converted: --service app --account person
        kept (not JSON): --service app --account text
        absent: --service app --account none

        """)
    #expect(value("title") == "The Valley Wind")
    #expect(value("count") == 15)
    #expect(value("a=b") == "password")
    let born = Date(timeIntervalSinceReferenceDate: 0.5)
    #expect(value("person") == Person(name: "Anna", born: born, age: 15))
    #expect(value("text") == "plain text")
    #expect(try machine.output("secrets get --service other --account count") == "1\n")

    let again = try migrate(types)
    #expect(again.output.contains("already converted: --service app --account title\n"))
    #expect(value("title") == "The Valley Wind")
  }

  @Test func everyTypeHasAName() throws {
    let values = [
      ("data", #""AQL/""#), ("float", "0.1"), ("double", "15"), ("boolean", "false"),
      ("url", #""https:\/\/x.org""#), ("enum", #""high""#), ("plain", #"["Anna", "Peter"]"#),
      ("date", "1600000000"), ("list", #"["AQL/"]"#),
    ]
    for (account, json) in values { try machine.store(json, "--service app --account \(account)") }
    let types = values.dropLast().flatMap { ["--type", "\($0.0)=\($0.0)"] }
    let ended = try migrate(["--dates", "seconds", "--type", #"list=["data"]"#] + types)
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.output.split(separator: "\n").allSatisfy { $0.hasPrefix("converted: ") })
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

  @Test func serviceWithoutSecretsGivesStatusOne() throws {
    let ended = try migrate()
    #expect(ended.status == 1)
    #expect(ended.output == "")
    #expect(ended.errors == "locket: The service has no secrets.\n")
  }
}

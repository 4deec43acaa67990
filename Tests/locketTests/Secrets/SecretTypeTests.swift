import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

final class SecretTypeTests: ToolTests {
  private func value<Value: Codable & Sendable>(as type: Value.Type) -> Value? {
    PasswordItem<Value>(.generic(service: "app"), in: machine.vault).value
  }

  /// Sets a secret with a type, reads it with the same, and returns it as an app reads it.
  private func set<Value: Codable & Sendable>(
    _ text: String, _ type: String, as value: Value.Type
  ) throws -> Value? {
    #expect(try machine.output("secrets set --service app --type \(type)", input: text) == "")
    let end = type == "data" ? "" : "\n"
    #expect(try machine.output("secrets get --service app --type \(type)") == text + end)
    return self.value(as: value)
  }

  @Test func appReadsTheTypeThatWasSet() throws {
    for number in [0, -42, Int.max, Int.min] {
      #expect(try set("\(number)", "integer", as: Int.self) == number)
    }
    for boolean in [true, false] {
      #expect(try set("\(boolean)", "boolean", as: Bool.self) == boolean)
    }
    #expect(try set("42", "text", as: String.self) == "42")
    #expect(try set("a\r\n", "data", as: Data.self) == Data("a\r\n".utf8))
  }

  @Test(arguments: [("42", true), ("-1.5", true), ("true", true), ("hello", false), ("4 2", false)])
  func textLikeANumberIsReported(text: String, isReported: Bool) throws {
    let set = try machine.run("secrets set --service app", input: text)
    #expect(set.status == 0)
    #expect(set.errors.hasPrefix("locket: The secret was stored as text") == isReported)
    #expect(set.errors.isEmpty == !isReported)
    #expect(value(as: String.self) == text)
  }

  @Test func getReadsATypeAsAnAppDoes() throws {
    try machine.store("42", "--service app")
    #expect(try machine.output("secrets get --service app --type integer") == "12852\n")
    #expect(value(as: Int.self) == 12852)
    for text in ["boolean", "integer"] {
      try machine.store("hello", "--service app")
      let ended = try machine.run("secrets get --service app --type \(text)")
      #expect(ended.status == 2 && ended.output == "")
      #expect(ended.errors.contains("not a value of type \(text)"))
    }
  }
}

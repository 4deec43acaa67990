import FoundationEssentials
import SecretStorage
import Testing

/// The statements of the article "How secrets are coded".
struct HowSecretsAreCodedTests {
  private let store: any SecretStore = InMemorySecretStore()

  private func item<Value: Codable & Sendable>(_ type: Value.Type) -> PasswordItem<Value> {
    PasswordItem(.generic(service: "app"), in: store)
  }

  /// The bytes of a value in the store.
  private func bytes(of value: some Codable & Sendable) throws -> [UInt8] {
    let written = item(type(of: value))
    written.value = value
    try written.save()
    let stored = try #require(try store.items(matching: .all).first)
    let secret = try #require(try store.secret(of: stored.id)).secret
    // The bytes are copied inside the closure.
    return unsafe secret.withUnsafeBytes { unsafe Array($0) }
  }

  private func codingRow(_ label: String, _ value: some Codable & Sendable) throws -> String {
    let digits = try bytes(of: value).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "| `\(label)` | `\(digits.joined(separator: " "))` |"
  }

  private func readingRow(_ label: String, _ value: some Codable & Sendable) throws -> String {
    _ = try bytes(of: value)
    return "| `\(label)` | \(cell(Int.self)) | \(cell(Bool.self)) | \(cell(String.self)) |"
  }

  /// What a property of another type reads.
  private func cell<Value: Codable & Sendable>(_ type: Value.Type) -> String {
    do {
      return try item(type).load().map { "`\(String(reflecting: $0))`" } ?? "nil"
    } catch {
      return "error"
    }
  }

  @Test func tablesMatchTheStore() throws {
    let address = try #require(URL(string: "https://a.b"))
    let rows = [
      try codingRow("\"42\"", "42"), try codingRow("Data([1, 2, 255])", Data([1, 2, 255])),
      try codingRow("URL", address), try codingRow("42", 42), try codingRow("-2 as Int8", Int8(-2)),
      try codingRow("true", true),
      try readingRow("\"1\"", "1"), try readingRow("\"42\"", "42"),
      try readingRow("\"true\"", "true"), try readingRow("\"hello\"", "hello"),
      try readingRow("42", 42), try readingRow("true", true),
    ]
    let path = "Sources/SecretStorage/SecretStorage.docc/HowSecretsAreCoded.md"
    let lines = try MarkdownPage(path: path).lines
    #expect(rows.filter { !lines.contains(Substring($0)) } == [])
    #expect(try bytes(of: 0.5).starts(with: "bplist00".utf8))
  }
}

import FoundationEssentials
import Testing

/// The tests that "What the vault protects", other pages and the README name for their statements,
/// in comments of their source: `<!-- tests: one, another -->`.
struct ThreatTableTests {
  private static let page = "Sources/SecretStorage/SecretStorage.docc/WhatTheVaultProtects.md"

  /// The test names in a line's comment.
  private static func tests(in line: Substring) -> [String] {
    guard let start = line.firstRange(of: "<!-- tests: "),
      let end = line[start.upperBound...].firstRange(of: " -->")
    else { return [] }
    return line[start.upperBound..<end.lowerBound].split(separator: ", ").map(String.init)
  }

  @Test func everyRowOfTheTableNamesItsTests() throws {
    let rows = try MarkdownPage(path: Self.page).lines
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| who has") }
    #expect(rows.count >= 7)
    for row in rows { #expect(!Self.tests(in: row).isEmpty, "\(row)") }
  }

  @Test func everySectionNamesItsTests() throws {
    let sections = try MarkdownPage(path: Self.page).text.split(separator: "\n## ").dropFirst()
    for title in ["Locking", "Changes by others", "Power failures", "What stays visible"] {
      let section = try #require(sections.first { $0.hasPrefix(title) })
      #expect(section.split(separator: "\n").contains { !Self.tests(in: $0).isEmpty }, "\(title)")
    }
  }

  @Test(arguments: [(page, 20), ("README.md", 5), (".github/Locket.docc/Architecture.md", 2)])
  func everyNamedTestExists(page: String, minimum: Int) throws {
    let names = Set(try MarkdownPage(path: page).lines.flatMap(Self.tests))
    #expect(names.count >= minimum)
    #expect(names.subtracting(Self.functions) == [])
  }

  /// The names of all functions of these tests.
  private static let functions = Set(
    ["SecretStorageTests", "KeyValueStorageTests", "DocumentationTests"].flatMap { name in
      let folder = Folder(path: "Tests/\(name)")
      return folder.files(ending: ".swift").flatMap { file in
        folder.text(of: file).split(separator: "func ").map { String($0.prefix { $0 != "(" }) }
      }
    })
}

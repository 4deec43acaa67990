import FoundationEssentials
import Testing

/// The tests that "What the vault protects", other pages and the README name for their statements,
/// in comments of their source: `<!-- tests: one, another -->`.
struct ThreatTableTests {
  private static let page = "Sources/SecretStorage/SecretStorage.docc/WhatTheVaultProtects.md"

  private var lines: [Substring] {
    get throws {
      try MarkdownPage(path: Self.page).text.split(
        separator: "\n", omittingEmptySubsequences: false)
    }
  }

  /// The test names in a line's comment.
  private static func tests(in line: Substring) -> [String] {
    guard let start = line.firstRange(of: "<!-- tests: "),
      let end = line[start.upperBound...].firstRange(of: " -->")
    else { return [] }
    return line[start.upperBound..<end.lowerBound].split(separator: ", ").map(String.init)
  }

  @Test func everyRowOfTheTableNamesItsTests() throws {
    let rows = try lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| who has") }
    #expect(rows.count >= 7)
    for row in rows { #expect(!Self.tests(in: row).isEmpty, "\(row)") }
  }

  @Test func everySectionNamesItsTests() throws {
    let sections = try MarkdownPage(path: Self.page).text.split(separator: "\n## ").dropFirst()
    let stated = ["Locking", "Changes by others", "Power failures", "What stays visible"]
    for title in stated {
      let section = try #require(sections.first { $0.hasPrefix(title) })
      #expect(section.split(separator: "\n").contains { !Self.tests(in: $0).isEmpty }, "\(title)")
    }
  }

  @Test func everyTestThatIsNamedExists() throws {
    try checkNamedTests(of: Self.page, atLeast: 20)
    try checkNamedTests(of: "README.md", atLeast: 5)
    try checkNamedTests(
      of: "Sources/SecretStorage/SecretStorage.docc/Architecture.md", atLeast: 2)
  }

  private func checkNamedTests(of page: String, atLeast count: Int) throws {
    var sources = ""
    let folders = [
      "Tests/SecretStorageTests", "Tests/KeyValueStorageTests", "Tests/DocumentationTests",
    ]
    for folder in folders {
      let root = Folder.package.appending(path: folder)
      for path in try FileManager.default.subpathsOfDirectory(atPath: root.path)
      where path.hasSuffix(".swift") {
        sources += try String(contentsOf: root.appending(path: path), encoding: .utf8)
      }
    }
    let names = Set(try MarkdownPage(path: page).text.split(separator: "\n").flatMap(Self.tests))
    #expect(names.count >= count)
    for name in names { #expect(sources.contains("func \(name)("), "\(name)") }
  }
}

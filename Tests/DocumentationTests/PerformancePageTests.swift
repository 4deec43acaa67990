import Testing

/// The tables of the page "Performance".
struct PerformancePageTests {
  private static let page = "Sources/SecretStorage/SecretStorage.docc/Performance.md"

  @Test func everyBenchmarkHasARow() throws {
    let rows = try MarkdownPage(path: Self.page).text.split(separator: "\n")
    let folder = Folder(path: "Benchmarks/Sources/Benchmarks")
    let sources = folder.files(ending: "Rows.swift").filter { $0 != "GrowthRows.swift" }
    let names = sources.flatMap { source in
      folder.text(of: source).split(separator: "Row(").dropFirst().map { row in
        // A name is compared up to its first interpolation.
        row.split(separator: "\"")[1].prefix { $0 != "\\" }
      }
    }
    #expect(names.count > 30)
    for name in names {
      #expect(rows.contains { $0.hasPrefix("| \(name)") }, "\(name)")
    }
  }
}

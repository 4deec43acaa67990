import Testing

/// The tables of the page "Performance".
struct PerformancePageTests {
  @Test func everyBenchmarkHasARow() throws {
    let rows = try MarkdownPage(path: ".github/Locket.docc/Performance.md").lines
    let folder = Folder(path: "Benchmarks/Sources/Benchmarks")
    let sources = folder.files(ending: "Rows.swift").filter { $0 != "GrowthRows.swift" }
    let names = sources.flatMap { source in
      folder.text(of: source).split(separator: "Row(").dropFirst().map { row in
        // The rest of a name after an interpolation is not compared.
        let name = row.split(separator: "\"")[1]
        return name.firstIndex(of: "\\").map { "| \(name[..<$0])" } ?? "| \(name) |"
      }
    }
    #expect(names.count > 30)
    for name in names { #expect(rows.contains { $0.hasPrefix(name) }, "\(name)") }
  }
}

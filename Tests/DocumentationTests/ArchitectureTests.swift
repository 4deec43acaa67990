import FoundationEssentials
import Testing

/// The table of the page "Architecture" that follows one write, and the comments on files.
struct ArchitectureTests {
  @Test func everyFunctionOfAWriteExists() throws {
    let rows = try MarkdownPage(path: ".github/Locket.docc/Architecture.md").lines
      .map { $0.split(separator: " | ") }
      .filter { $0.count == 4 && Int($0[0].drop { !$0.isNumber }) != nil }
    #expect((1...25).contains(rows.count))
    for row in rows {
      let path = String(row[2].filter { $0 != "`" })
      let file = Folder.package.appending(path: "Sources/SecretStorage/\(path)")
      let source = try String(contentsOf: file, encoding: .utf8)
      let name = row[1].filter { $0 != "`" }.split(separator: ".").last ?? ""
      let forms = name == "init" ? ["init("] : ["func \(name)", "var \(name)", "let \(name)"]
      #expect(forms.contains { source.contains($0) }, "\(row[1])")
    }
  }

  @Test(arguments: ["Sources", "Tests"]) func extensionFilesSayWhatTheyAdd(_ path: String) {
    let folder = Folder(path: path)
    for file in folder.files(ending: ".swift") where file.contains("+") {
      let first = folder.text(of: file).split(separator: "\n").first { !$0.contains("import ") }
      #expect(first?.hasPrefix("// ") == true, "\(file)")
    }
  }

  @Test func vaultListsItsFiles() throws {
    let folder = Folder(path: "Sources/SecretStorage/Vault")
    let source = folder.text(of: "SecretVault.swift").split(separator: "the files SecretVault+…:")
    let list = try #require(source.last?.split(separator: "\n\n").first)
    let names = folder.files(ending: ".swift").filter { $0.contains("SecretVault+") }
      .map { $0.split(separator: "+")[1].dropLast(".swift".count) }
    #expect(Set(names).isSubset(of: list.split { !$0.isLetter }))
  }
}

import FoundationEssentials
import Testing

/// The table of the page "Architecture" that follows one write, and the heads of files.
struct ArchitectureTests {
  private static let page = ".github/Locket.docc/Architecture.md"

  @Test func everyFunctionOfAWriteExists() throws {
    let rows = try MarkdownPage(path: Self.page).text.split(separator: "\n")
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

  @Test func extensionFilesSayWhatTheyAdd() {
    let folder = Folder(path: "Sources")
    let vault = folder.text(of: "SecretStorage/Vault/SecretVault.swift")
    let list = vault.split(separator: "private let")[0]
    for file in folder.files(ending: ".swift") where file.contains("+") {
      let first = folder.text(of: file).split(separator: "\n").first { !$0.contains("import ") }
      #expect(first?.hasPrefix("//") == true, "\(file)")
      let names = file.dropLast(".swift".count).split(separator: "+")
      #expect(!names[0].hasSuffix("SecretVault") || list.contains(names[1]), "\(file)")
    }
  }
}

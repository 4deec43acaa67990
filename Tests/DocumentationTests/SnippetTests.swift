import FoundationEssentials
import PasswordRules
import Testing

/// Code copied from a page compiles and runs, because a file of this folder contains it.
struct SnippetTests {
  /// The last folder is an app that follows a guide; `.ci/run` builds and runs it.
  private static let sources: [Source] = [
    ("Tests/DocumentationTests", "Snippets.swift"), ("Tests/Processes/ShapesProcess", ".swift"),
    ("Tests/MigratingApp", ".swift"),
  ].flatMap { path, ending in
    let folder = Folder(path: path)
    return folder.files(ending: ending).map { Source(folder.text(of: $0)) }
  }

  @Test(arguments: MarkdownPage.all) func everySnippetIsCompiled(on page: MarkdownPage) throws {
    for snippet in try page.snippets {
      #expect(
        Self.sources.contains { snippet.isPart(of: $0) },
        "This code of \(page.path) is in no …Snippets.swift: \(snippet.lines)")
    }
  }

  @Test func pagesHaveSnippets() throws {
    #expect(MarkdownPage.all.count > 14)
    #expect(try MarkdownPage(path: "README.md").snippets.count == 3)
  }

  /// Rules that only require a class forbid all other characters, which few mean.
  @Test(arguments: MarkdownPage.all) func sampleRulesHaveNoWarning(on page: MarkdownPage) throws {
    for sample in try page.text.split(separator: "PasswordRuleSet(\"").dropFirst() {
      let descriptor = String(sample.prefix { $0 != "\"" })
      #expect(try PasswordRuleSet.parse(descriptor).warnings.isEmpty, "\(descriptor)")
    }
  }

  @Test func readmeHasAtMost140Lines() throws {
    let page = MarkdownPage(path: "README.md")
    #expect(try page.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 141)
    for snippet in try page.snippets { #expect(snippet.lines.count <= 13, "\(snippet.lines)") }
  }

  /// The links to files, which DocC does not check.
  @Test(arguments: MarkdownPage.all + MarkdownPage.meta)
  func everyLinkedFileExists(on page: MarkdownPage) throws {
    let folder = Folder.package.appending(path: page.path).deletingLastPathComponent()
    for link in try page.text.split(separator: "](").dropFirst() {
      let path = link.prefix { $0 != ")" && $0 != "#" }
      if path.isEmpty || path.contains(":") { continue }
      let file = folder.appending(path: String(path))
      #expect(FileManager.default.fileExists(atPath: file.path), "\(path)")
    }
  }

  /// `.ci/run` makes links of DocC from those to files of catalogs.
  @Test(arguments: [MarkdownPage(path: "README.md")] + MarkdownPage.package + MarkdownPage.meta)
  func repositoryPageHasNoDocCLinks(_ page: MarkdownPage) throws {
    #expect(try !page.text.contains("doc:"))
    #expect(try !page.text.split(separator: "```").contains { $0.contains("``") })
  }
}

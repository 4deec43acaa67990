import FoundationEssentials
import PasswordRules
import Testing

/// Code copied from a page compiles and runs, because a file of this folder contains it.
struct SnippetTests {
  /// The last two folders are an app that follows a guide; `.ci/run` builds and runs it.
  private static let sources: [Source] = [
    ("Tests/DocumentationTests", "Snippets.swift"), ("Tests/Processes/ShapesProcess", ".swift"),
    ("Tests/MigratingApp/Step2", ".swift"), ("Tests/MigratingApp/Step3", ".swift"),
  ].flatMap { path, ending in
    let folder = Folder(path: path)
    return folder.files(ending: ending).map { Source(folder.text(of: $0)) }
  }

  @Test(arguments: MarkdownPage.all)
  func everySnippetIsCompiled(on page: MarkdownPage) throws {
    for snippet in try page.snippets {
      #expect(
        Self.sources.contains { snippet.isPart(of: $0) },
        "This code of \(page.path) is in no …Snippets.swift: \(snippet.lines)")
    }
  }

  @Test func pagesHaveSnippets() throws {
    #expect(MarkdownPage.all.count > 14)
    #expect(try MarkdownPage(path: "README.md").snippets.count == 8)
  }

  /// Rules that only require a class forbid all other characters, which few mean.
  @Test(arguments: MarkdownPage.all)
  func sampleRulesHaveNoWarning(on page: MarkdownPage) throws {
    for sample in try page.text.split(separator: "PasswordRuleSet(\"").dropFirst() {
      let descriptor = String(sample.prefix { $0 != "\"" })
      #expect(try PasswordRuleSet.parse(descriptor).warnings.isEmpty, "\(descriptor)")
    }
  }

  @Test func readmeHasAtMost160Lines() throws {
    let page = MarkdownPage(path: "README.md")
    #expect(try page.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 161)
    for snippet in try page.snippets { #expect(snippet.lines.count <= 10, "\(snippet.lines)") }
  }

  /// The links to files of the pages outside of the catalogues, which DocC does not check.
  @Test(arguments: ["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"])
  func everyLinkedFileExists(on path: String) throws {
    let links = try MarkdownPage(path: path).text
      .split(separator: "](").dropFirst().compactMap { $0.split(separator: ")").first }
    #expect(!links.isEmpty)
    let folder = Folder.package.appending(path: path).deletingLastPathComponent()
    for link in links where !link.hasPrefix("https:") {
      let file = folder.appending(path: String(link))
      #expect(FileManager.default.fileExists(atPath: file.path), "\(link)")
    }
  }
}

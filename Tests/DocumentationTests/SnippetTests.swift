import FoundationEssentials
import Testing

/// Code copied from a page compiles and runs, because a file of this folder contains it.
struct SnippetTests {
  // The second and third folder are an app that follows a guide; `.ci/run` builds and runs it. The
  // fourth has modules with build settings of their own.
  private static let sources: [String] = [
    ("Tests/DocumentationTests", "Snippets.swift"), ("Tests/MigratingApp/Sources/Step2", ".swift"),
    ("Tests/MigratingApp/Sources/Step3", ".swift"), ("Tests/Shapes", ".swift"),
  ].flatMap { folder, ending in
    Folder(path: folder).files(ending: ending).map { name in
      let url = Folder.package.appending(path: "\(folder)/\(name)")
      do {
        return try String(contentsOf: url, encoding: .utf8)
      } catch {
        fatalError("\(url.path) cannot be read: \(error)")
      }
    }
  }

  @Test(arguments: MarkdownPage.all)
  func everySnippetIsCompiled(on page: MarkdownPage) throws {
    for snippet in try page.snippets {
      #expect(
        Self.sources.contains { snippet.isPart(of: $0) },
        "This code of \(page.path) is in no …Snippets.swift: \(snippet.paragraphs)")
    }
  }

  @Test func pagesHaveSnippets() throws {
    #expect(MarkdownPage.all.count > 14)
    #expect(try MarkdownPage(path: "README.md").snippets.count == 10)
  }

  @Test func readmeIsShort() throws {
    let page = MarkdownPage(path: "README.md")
    #expect(try page.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 161)
    for snippet in try page.snippets { #expect(snippet.lineCount <= 10, "\(snippet.paragraphs)") }
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

import FoundationEssentials
import Testing

/// Whoever copies code from a page gets what the files of this folder compile and run.
struct SnippetTests {
  /// The second and last are an app that follows a guide, which `.ci/run` builds and runs.
  private static let sources: [String] = [
    ("Tests/DocumentationTests", "Snippets.swift"), ("Tests/MigratingApp/Sources/Step2", ".swift"),
    ("Tests/MigratingApp/Sources/Step3", ".swift"),
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
    #expect(try MarkdownPage(path: "README.md").snippets.count == 15)
  }

  /// Links of the README to files, which DocC does not see.
  @Test func everyLinkedFileExists() throws {
    let links = try MarkdownPage(path: "README.md").text
      .split(separator: "](").dropFirst().compactMap { $0.split(separator: ")").first }
    #expect(links.count > 8)
    for link in links where !link.hasPrefix("https:") {
      let file = Folder.package.appending(path: String(link))
      #expect(FileManager.default.fileExists(atPath: file.path), "\(link)")
    }
  }
}

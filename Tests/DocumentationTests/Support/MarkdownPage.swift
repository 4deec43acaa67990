import FoundationEssentials
import Testing

/// A page of the documentation, or the README.
struct MarkdownPage: Sendable, CustomTestStringConvertible {
  let path: String

  var testDescription: String { path }

  /// The README, and the pages of all catalogs.
  static let all = ["README.md"].map(MarkdownPage.init) + package + modules

  /// The pages of the whole package, which are read in the repository and on the site.
  static let package = Folder(path: ".github/Locket.docc").pages

  /// The pages of the modules that are products.
  private static let modules = [
    "SerializedAccess", "KeyValueStorage", "SecretStorage", "StorageTesting",
    "SecretMigration", "PasswordRules", "Validation", "KeychainCompatibility",
  ].flatMap { Folder(path: "Sources/\($0)/\($0).docc").pages }

  /// The pages for people who contribute or report.
  static let meta = [".github/CONTRIBUTING.md", ".github/SECURITY.md"].map(MarkdownPage.init)

  var text: String {
    get throws { try String(contentsOf: Folder.package.appending(path: path), encoding: .utf8) }
  }

  var lines: [Substring] { get throws { try text.split(separator: "\n") } }

  /// The fenced blocks of Swift code, except the manifest, which no test can contain.
  var snippets: [Snippet] {
    get throws {
      var snippets: [Snippet] = []
      var open: [Substring]?
      for line in try text.split(separator: "\n", omittingEmptySubsequences: false) {
        if let lines = open {
          open = line == "```" ? nil : lines + [line]
          if line == "```" { snippets.append(Snippet(lines)) }
        } else if line == "```swift" {
          open = []
        }
      }
      return snippets.filter { !$0.isManifest }
    }
  }
}

/// A folder of the package.
struct Folder {
  static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  let path: String

  var pages: [MarkdownPage] { files(ending: ".md").map { MarkdownPage(path: "\(path)/\($0)") } }

  func text(of file: String) -> String {
    let url = Self.package.appending(path: "\(path)/\(file)")
    do {
      return try String(contentsOf: url, encoding: .utf8)
    } catch {
      fatalError("\(url.path) cannot be read: \(error)")
    }
  }

  /// Returns the paths of the files in the folder and its subfolders.
  func files(ending suffix: String) -> [String] {
    do {
      return try FileManager.default.subpathsOfDirectory(
        atPath: Self.package.appending(path: path).path
      ).filter { $0.hasSuffix(suffix) }.sorted()
    } catch {
      fatalError("\(path) cannot be read: \(error)")
    }
  }
}

/// Swift code on a page.
struct Snippet {
  let isManifest: Bool
  let lines: [Substring]

  init(_ lines: [Substring]) {
    isManifest = lines.first?.hasPrefix("// swift-tools-version") ?? false
    self.lines = lines
  }

  /// Whether a source contains all of this code, in this order; it may have other code between
  /// paragraphs, and other line breaks.
  func isPart(of source: Source) -> Bool {
    var rest = source.words[...]
    let code = lines.filter { !$0.hasPrefix("import ") }
    for paragraph in code.split(separator: "") {
      let words = paragraph.flatMap { $0.split(whereSeparator: \.isWhitespace) }
      guard let place = rest.firstRange(of: words) else { return false }
      rest = rest[place.upperBound...]
    }
    return source.lines.isSuperset(of: lines.filter { $0.hasPrefix("import ") })
  }
}

/// A file of Swift code.
struct Source {
  let lines: Set<Substring>
  let words: [Substring]

  init(_ text: String) {
    lines = Set(text.split(separator: "\n").map { $0.drop { $0 == " " } })
    words = text.split(whereSeparator: \.isWhitespace)
  }
}

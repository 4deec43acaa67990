import FoundationEssentials
import Testing

/// A page of the documentation, or the README.
struct MarkdownPage: Sendable, CustomTestStringConvertible {
  let path: String

  var testDescription: String { path }

  static let all = ["README.md"].map(MarkdownPage.init) + catalogues.flatMap(\.pages)

  /// The catalogues of the modules that are products.
  private static let catalogues = [
    "SerializedAccess", "KeyValueStorage", "SecretStorage", "StorageTesting", "EtcdStorage",
    "SecretMigration", "PasswordRules", "Validation", "KeychainCompatibility",
  ].map { Folder(path: "Sources/\($0)/\($0).docc") }

  var text: String {
    get throws { try String(contentsOf: Folder.package.appending(path: path), encoding: .utf8) }
  }

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

  var pages: [MarkdownPage] {
    files(ending: ".md").map { MarkdownPage(path: "\(path)/\($0)") }
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
  let imports: [Substring]
  /// The code without imports, in paragraphs; a test may have other code between them.
  let paragraphs: [String]
  let lineCount: Int

  init(_ lines: [Substring]) {
    isManifest = lines.first?.hasPrefix("// swift-tools-version") ?? false
    lineCount = lines.count
    imports = lines.filter { $0.hasPrefix("import ") }
    paragraphs = lines.filter { !$0.hasPrefix("import ") }.split(separator: "")
      .map { Self.normalized($0.joined(separator: "\n")) }
  }

  /// Whether a source contains all of this code, in this order.
  func isPart(of source: String) -> Bool {
    var rest = Self.normalized(source)[...]
    for paragraph in paragraphs {
      guard let place = rest.firstRange(of: paragraph) else { return false }
      rest = rest[place.upperBound...]
    }
    let lines = source.split(separator: "\n").map { $0.drop { $0 == " " } }
    return imports.allSatisfy { lines.contains($0) }
  }

  /// The words and punctuation of a text, separated by single spaces.
  private static func normalized(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

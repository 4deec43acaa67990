import FoundationEssentials
import Testing

/// A page of the documentation, or the README.
struct MarkdownPage: Sendable, CustomTestStringConvertible {
  let path: String

  var testDescription: String { path }

  static let all = ["README.md"].map(MarkdownPage.init) + catalogues.flatMap(\.pages)

  /// The catalogue of each module that is a product.
  private static let catalogues = [
    "SerializedAccess", "KeyValueStorage", "SecretStorage", "SecretStorageTesting",
    "PasswordRules", "Validation", "KeychainCompatibility",
  ].map { Folder(path: "Sources/\($0)/\($0).docc") }

  var text: String {
    get throws { try String(contentsOf: Folder.package.appending(path: path), encoding: .utf8) }
  }

  /// The fenced blocks of Swift code; the manifest is not one that a test could contain.
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

/// A folder of the package, by its path in it.
struct Folder {
  static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  let path: String

  var pages: [MarkdownPage] {
    files(ending: ".md").map { MarkdownPage(path: "\(path)/\($0)") }
  }

  func files(ending suffix: String) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(
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
  /// The code without imports, in parts between which a test may do more.
  let paragraphs: [String]

  init(_ lines: [Substring]) {
    isManifest = lines.first?.hasPrefix("// swift-tools-version") ?? false
    imports = lines.filter { $0.hasPrefix("import ") }
    paragraphs = lines.filter { !$0.hasPrefix("import ") }.split(separator: "")
      .map { Self.normalized($0.joined(separator: "\n")) }
  }

  /// Whether a source has all of this code, in this order.
  func isPart(of source: String) -> Bool {
    var rest = Self.normalized(source)[...]
    for paragraph in paragraphs {
      guard let place = rest.firstRange(of: paragraph) else { return false }
      rest = rest[place.upperBound...]
    }
    let lines = source.split(separator: "\n")
    return imports.allSatisfy { lines.contains($0) }
  }

  /// The words and marks of a text, separated by single spaces.
  private static func normalized(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

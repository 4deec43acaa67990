import FoundationEssentials
import Testing

/// The commands of the documentation that begin with `swift run`.
struct RunCommandTests {
  /// SwiftPM takes the first word after its own options for the name of an executable.
  @Test func everyRunCommandNamesAnExecutable() throws {
    var names: Set<String> = []
    for page in MarkdownPage.all + MarkdownPage.meta {
      for line in try page.lines {
        for command in line.split(
          separator: "swift run ", omittingEmptySubsequences: false
        ).dropFirst() {
          let (folder, name) = Self.target(of: command.prefix { $0 != "`" && $0 != "#" })
          let manifest = try Manifest(folder)
          if let name {
            #expect(manifest.finds(name), "\(page.path): swift run \(command)")
            names.insert(name)
          } else {
            #expect(manifest.own.count == 1, "\(page.path): swift run \(command)")
          }
        }
      }
    }
    #expect(names.isSuperset(of: ["Benchmarks", "daemon", "locket", "signup", "tour"]))
  }

  /// Returns the folder of the package and the name of the executable, if the command has one.
  private static func target(of command: Substring) -> (folder: String, name: String?) {
    var folder = "."
    var words = command.split(separator: " ")[...]
    while let option = words.first, option.hasPrefix("-") {
      if option == "--package-path" { folder = String(words.dropFirst().first ?? "") }
      words = words.dropFirst(option == "--skip-build" ? 1 : 2)
    }
    return (folder, words.first.map(String.init))
  }
}

/// The executables of a package, and of the packages in the folders that it depends on.
private struct Manifest {
  let own: [Substring]
  private let dependencies: [Manifest]

  init(_ folder: String, withDependencies: Bool = true) throws {
    let file = Folder.package.appending(path: "\(folder)/Package.swift")
    let text = try String(contentsOf: file, encoding: .utf8).filter { !$0.isWhitespace }
    func values(_ key: String) -> [Substring] {
      text.split(separator: key).dropFirst().map { $0.prefix { $0 != "\"" } }
    }
    // The names of several products with one target.
    let listed = text.split(separator: "products:[\"").dropFirst().flatMap { list in
      list.prefix { $0 != "]" }.split { $0 == "," || $0 == "\"" }
    }
    own = values(".executable(name:\"") + values(".executableTarget(name:\"") + listed
    let folders = text.split(separator: ".package(").dropFirst().compactMap { package in
      package.split(separator: ")")[0].split(
        separator: "path:\"", omittingEmptySubsequences: false
      ).dropFirst().first
    }
    dependencies =
      if withDependencies {
        try folders.map { path in
          try Manifest("\(folder)/\(path.split(separator: "\"")[0])", withDependencies: false)
        }
      } else { [] }
  }

  func finds(_ name: String) -> Bool {
    own.contains(name[...]) || dependencies.contains { $0.own.contains(name[...]) }
  }
}

import StorageInternals
import Testing

@testable import SecretStorage

/// The tables of the documentation's page "Accessibility".
struct AccessibilityTable {
  struct Cell: Hashable {
    let state: String
    let accessibility: Accessibility
    let operation: String
  }

  private(set) var outcomes: [Cell: String] = [:]

  static let page = Result { try AccessibilityTable() }

  private init() throws {
    let root = #filePath.parentDirectory.parentDirectory.parentDirectory.parentDirectory
    let path = root + "/Sources/SecretStorage/SecretStorage.docc/WhenAnItemCanBeRead.md"
    var state = ""
    var operations: [String] = []
    var others: Set<Accessibility> = []
    let text = String(decoding: try TestVault.bytes(of: path), as: UTF8.self)
    for line in text.split(separator: "\n") {
      if line.hasPrefix("### ") {
        state = String(line.dropFirst(4))
        others = Set(Accessibility.allCases)
      }
      guard line.hasPrefix("| ") else { continue }
      let cells = line.dropFirst(2).dropLast(2).split(separator: " | ").map(String.init)
      if cells[0] == "class" {
        operations = Array(cells.dropFirst())
        continue
      }
      let classes = try Self.classes(cells[0], others)
      others.subtract(classes)
      #expect(cells.count == operations.count + 1, "\(line)")
      for accessibility in classes {
        for (operation, outcome) in zip(operations, cells.dropFirst()) {
          let cell = Cell(state: state, accessibility: accessibility, operation: operation)
          #expect(outcomes.updateValue(outcome, forKey: cell) == nil)
        }
      }
    }
  }

  /// The accessibilities named by a row's first column.
  private static func classes(
    _ words: String, _ others: Set<Accessibility>
  ) throws -> [Accessibility] {
    if words == "every class" || words == "every other class" { return Array(others) }
    return try words.split(separator: ", ").map { word in
      try #require(Accessibility.allCases.first { "`\($0)`" == word }, "\(word)")
    }
  }
}

import FoundationEssentials
import Testing

/// The journals of child processes' writes, for comparison with a store.
struct SettingsJournal {
  private struct Entry {
    /// The last acknowledged value; nil for none or a removal.
    var acknowledged: String?
    /// Values that were being written since then, perhaps by a killed process.
    var pending: [String?] = []

    func explains(_ value: String?) -> Bool {
      value == acknowledged || pending.contains(value)
    }
  }

  private var entries: [String: Entry] = [:]
  private(set) var acknowledgmentCount = 0

  /// Adds a journal, whose last line may be incomplete.
  mutating func read(_ path: String) throws {
    let lines = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in lines {
      let parts = line.split(separator: "\t").map(String.init)
      try #require(parts.count == 3)
      let value = parts[2] == "-" ? nil : parts[2]
      if parts[0] == "+" {
        entries[parts[1], default: Entry()].pending.append(value)
      } else {
        entries[parts[1]] = Entry(acknowledged: value)
        acknowledgmentCount += 1
      }
    }
  }

  /// Records an issue for each acknowledged write that is missing, and each value never written.
  func check(_ found: [String: String]) {
    for key in Set(found.keys).union(entries.keys) {
      let entry = entries[key] ?? Entry()
      if !entry.explains(found[key]) {
        Issue.record("\(key) is \(found[key] ?? "absent"), which is not explained by \(entry)")
      }
    }
  }
}

import FoundationEssentials
import SecretStorage
import Testing

/// The journal of child processes' writes, to compare with a vault.
struct VaultJournal {
  /// By account, the last acknowledged value, which is nil for none or a removal; perhaps followed
  /// by the value of a write that was under way when the process was killed.
  private var entries: [String: [String?]] = [:]
  private(set) var acknowledgmentCount = 0

  init() {}

  init(_ path: String) throws { try add(path) }

  /// Parses and adds a journal, whose last line may be torn.
  mutating func add(_ path: String) throws {
    let lines = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in lines {
      let parts = line.split(separator: "\t").map(String.init)
      try #require(parts.count == 3)
      let value = parts[2] == "-" ? nil : parts[2]
      if parts[0] == "+" {
        entries[parts[1]] = (entries[parts[1]] ?? [nil]).prefix(1) + [value]
      } else {
        entries[parts[1]] = [value]
        acknowledgmentCount += 1
      }
    }
  }

  /// The last acknowledged value of an account, and a possible later one.
  func values(of account: String) -> [String] { (entries[account] ?? []).compactMap(\.self) }

  func explains(_ value: String?, of account: String) -> Bool {
    (entries[account] ?? [nil]).contains(value)
  }

  func isAcknowledged(_ account: String) -> Bool { entries[account]?.first?.flatMap(\.self) != nil }

  var accountNames: [String] { Array(entries.keys) }

  /// Records an issue for each missing acknowledged write, and for each unexplained value.
  func check(_ vault: SecretVault, but ignored: Set<String> = []) throws {
    var found: [String: String] = [:]
    for item in try vault.items(matching: .all) {
      let account = try #require(item.identity.account)
      #expect(found[account] == nil, "\(account) is there twice.")
      found[account] = try vault.text(of: item)
    }
    for name in Set(found.keys).union(entries.keys).subtracting(ignored) {
      let value = found[name]
      #expect(
        explains(value, of: name), "\(name) is \(value ?? "absent"), not of \(entries[name] ?? [])")
    }
  }
}

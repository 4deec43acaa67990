import FoundationEssentials
import SecretStorage
import Testing

/// The journal of child processes' writes, to compare with a vault.
struct VaultJournal {
  private struct Account {
    /// The last acknowledged value; nil for none or a removal.
    var acknowledged: String?
    /// The value of a write that was under way when the process was killed.
    var pending: String??

    func explains(_ value: String?) -> Bool {
      value == acknowledged || pending.map { $0 == value } ?? false
    }
  }

  private var accounts: [String: Account] = [:]
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
        accounts[parts[1], default: Account()].pending = .some(value)
      } else {
        accounts[parts[1]] = Account(acknowledged: value, pending: nil)
        acknowledgmentCount += 1
      }
    }
  }

  /// The last acknowledged value of an account, and a possible later one.
  func values(of account: String) -> [String] {
    let account = accounts[account]
    return [account?.acknowledged, account?.pending ?? nil].compactMap { $0 }
  }

  func explains(_ value: String?, of account: String) -> Bool {
    (accounts[account] ?? Account()).explains(value)
  }

  func isAcknowledged(_ account: String) -> Bool { accounts[account]?.acknowledged != nil }

  var accountNames: [String] { Array(accounts.keys) }

  /// Records an issue for each missing acknowledged write, and for each unexplained value.
  func check(_ vault: SecretVault, but ignored: Set<String> = []) throws {
    var found: [String: String] = [:]
    for item in try vault.items(matching: .all) {
      let account = try #require(item.identity.account)
      #expect(found[account] == nil, "\(account) is there twice.")
      found[account] = try vault.text(of: item)
    }
    for name in Set(found.keys).union(accounts.keys).subtracting(ignored) {
      let account = accounts[name] ?? Account()
      if !account.explains(found[name]) {
        Issue.record(
          """
          \(name) is \(found[name] ?? "absent"), but was \(account.acknowledged ?? "absent") or \
          \(String(describing: account.pending))
          """)
      }
    }
  }
}

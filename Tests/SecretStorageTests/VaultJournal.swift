import FoundationEssentials
import SecretStorage
import Testing

/// What child processes wrote down of their writes, and whether a vault agrees.
struct VaultJournal {
  private struct Account {
    /// The value that was acknowledged last; nil for none or a removal.
    var acknowledged: String?
    /// A value that was to be written when the process was killed.
    var pending: String??

    func explains(_ value: String?) -> Bool {
      value == acknowledged || pending.map { $0 == value } ?? false
    }
  }

  private var accounts: [String: Account] = [:]
  private(set) var acknowledgementCount = 0

  /// Reads a journal, whose last line may be torn.
  init(_ path: String) throws {
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
        acknowledgementCount += 1
      }
    }
  }

  /// The last acknowledged value of an account, and one that may have come after it.
  func values(of account: String) -> [String] {
    let account = accounts[account]
    return [account?.acknowledged, account?.pending ?? nil].compactMap { $0 }
  }

  /// Whether an account may have a value, or be absent.
  func explains(_ value: String?, of account: String) -> Bool {
    (accounts[account] ?? Account()).explains(value)
  }

  /// Whether any write to an account was acknowledged.
  func isAcknowledged(_ account: String) -> Bool { accounts[account]?.acknowledged != nil }

  var accountNames: [String] { Array(accounts.keys) }

  /// Records an issue for each acknowledged write that is missing, and for whatever nobody wrote.
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

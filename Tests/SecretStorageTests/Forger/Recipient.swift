import FoundationEssentials

@testable import SecretStorage

final class Recipient {
  private let vault = TestVault()
  private let cipher: MeasuredCipher
  private let bytes: [UInt8]
  private let state: [String: [UInt8]]
  private(set) var object: SecretVault

  init(_ corpus: Corpus) throws {
    cipher = corpus.cipher
    object = vault.open(cipher: cipher)
    try object.add("the recipient's", account: "a")
    try object.add("own", account: "own")
    (bytes, state) = try vault.snapshot
  }

  func startOver() throws {
    try vault.restore(bytes, state)
    object = vault.open(cipher: cipher)
  }

  /// Returns the damage by an import; `held` are the values of the file's vault, nil for any.
  func mistakes(held: [String: Set<String>]?) -> [String] {
    var mistakes: [String] = []
    do {
      // The next write must work as well, for any imported dates and revisions.
      try object.add("new", account: "new")
      try object.compact()
      let again = vault.open(cipher: cipher)
      guard try again.verify().isSound else { return ["an import damages the vault"] }
      for item in try again.items(matching: .all) {
        let account = item.identity.account ?? ""
        let text = try again.text(of: item) ?? ""
        let own = ["a": "the recipient's", "own": "own", "new": "new"][account]
        let values = own.map { [$0] } ?? held.map { $0[account] ?? [] }
        if values?.contains(text) == false { mistakes.append("\(account) is imported as \(text)") }
        let latest = Date().addingTimeInterval(2 * 86_400)
        if max(item.creationDate, item.modificationDate) > latest {
          mistakes.append("\(account) is imported with a date of the future")
        }
      }
    } catch {
      mistakes.append("after an import: \(error)")
    }
    return mistakes
  }
}

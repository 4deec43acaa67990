import Concurrency
import FoundationEssentials

@testable import SecretStorage

/// Runs every operation of a vault on forged files, and collects violations.
final class ForgeryJudge {
  let corpus: Corpus
  private let recipient: Recipient
  var mistakes: [String] = []
  private(set) var forgery: Forgery

  init(_ corpus: Corpus) throws {
    self.corpus = corpus
    recipient = try Recipient(corpus)
    forgery = Forgery("sound", of: corpus, corpus.file)
  }

  func mistakes(of forgery: Forgery) throws -> [String] {
    self.forgery = forgery
    mistakes = []
    if corpus.form != .own { try judgeKnowing() }
    if corpus.form == .device { try judgeContinued() }
    try judgeOpened()
    if corpus.form != .device { try judgeImported() }
    return mistakes
  }

  private var state: [String: [UInt8]] { forgery.isRemembered ? corpus.state : [:] }

  private func putSound() throws { try corpus.put(corpus.bytes, state: state) }

  /// Replaces the sound file, or appends to it if the forged file begins with it.
  private func putForged() throws {
    if forgery.bytes.starts(with: corpus.bytes) {
      try TestVault.append(
        Array(forgery.bytes.dropFirst(corpus.bytes.count)), to: corpus.vault.path)
    } else {
      try corpus.put(forgery.bytes, state: state)
    }
  }

  /// Judges an unlocked and a locked object that read the sound vault before the forgery.
  private func judgeKnowing() throws {
    try putSound()
    let (unlocked, locked) = (corpus.open(), corpus.open())
    for object in [unlocked, locked] { try corpus.unlock(object) }
    _ = try unlocked.texts()
    locked.lock()
    try putForged()
    checkAnswers(of: unlocked, "unlocked before")
    checkStrangers(at: unlocked, "unlocked before")
    checkAnswers(of: locked, "locked before", isLocked: true)
    _ = attempt("locked verify") { try locked.verify() }
    checkStrangers(at: locked, "locked before")
    try putSound()
    checkAnswers(of: locked, "locked, with the sound file again", isLocked: true)
    guard forgery.isRemembered else { return }
    let isOpen: Void? = attempt("unlock after") { try corpus.unlock(locked) }
    if isOpen == nil { mistakes.append("the sound file does not open any more") }
    for (account, value) in corpus.truth
    where answer(of: locked, account, "sound again") != .some(value) {
      mistakes.append("\(account) is not what it was in the sound file")
    }
  }

  /// Judges an object that read the vault before its compaction, and need not read all of it again.
  private func judgeContinued() throws {
    try corpus.put(corpus.older, state: [:])
    let object = corpus.open()
    try corpus.unlock(object)
    _ = try object.texts()
    try corpus.put(forgery.bytes, state: state)
    checkAnswers(of: object, "read before the compaction")
  }

  /// Judges an object made after the forgery, and then writes to it or repairs it.
  private func judgeOpened() throws {
    try corpus.put(forgery.bytes, state: state)
    let object = corpus.open()
    // Without remembered state, a new object cannot detect the forgery.
    if forgery.isRemembered, forgery.isOfThisVault {
      if corpus.form == .passphrase { checkAnswers(of: object, "before unlocking", isLocked: true) }
      checkStrangers(at: object, "opened")
    }
    let isOpen: Void? = attempt("unlock") { try corpus.unlock(object) }
    checkAnswers(of: object, "opened")
    checkSaved(by: object, "opened")
    checkText("diagnose", object.diagnose().description.split(separator: "\n").joined())
    let added = attempt("add") { try object.add("new", account: "new") }
    if added != nil {
      judgeWritten(by: object)
    } else if isOpen != nil {
      judgeRepaired(by: object)
    }
  }

  private func judgeWritten(by object: SecretVault) {
    _ = attempt("compact") { try object.compact() }
    let other = corpus.open()
    _ = attempt("unlock again") { try corpus.unlock(other) }
    // The two key tables of a forger's vault may differ in the keys that they seal.
    if answer(of: other, "new", "written") != .some("new"), corpus.form != .own {
      mistakes.append("a write is lost")
    }
    checkAnswers(of: other, "written")
  }

  private func judgeRepaired(by object: SecretVault) {
    _ = attempt("acceptRollback") { try object.acceptRollback() }
    let found = attempt("repair") { try object.repair() }
    if found == nil { return }
    let verification = attempt("verify") { try object.verify() }
    if verification?.isSound != true { mistakes.append("repair() leaves damage") }
    checkSaved(by: object, "repaired")
    // Accepting the file may have brought back an earlier passphrase.
    if corpus.form != .own { checkStrangers([ForgerKeys.passphrase], at: object, "repaired") }
  }

  private func judgeImported() throws {
    try corpus.put(forgery.bytes, state: [:])
    for passphrase in [Corpus.passphrase, ForgerKeys.passphrase] {
      let report = attempt("import") {
        try recipient.object.importItems(from: corpus.vault.file, passphrase: passphrase)
      }
      guard let report else { continue }
      for case .refused(let reason) in report.entries.map(\.outcome) { checkText("import", reason) }
      mistakes += recipient.mistakes(held: forgery.isOfThisVault ? corpus.held : nil)
      try recipient.startOver()
    }
  }
}

// Queries, and checks of their answers.
extension ForgeryJudge {
  /// Runs a throwing operation, and judges its work and its message.
  func attempt<Result>(_ what: String, _ body: () throws -> Result) -> Result? {
    _ = corpus.cipher.takeWork()
    defer {
      if let excess = corpus.cipher.takeWork().excess(for: forgery.bytes.count) {
        mistakes.append("\(what) \(excess)")
      }
    }
    do {
      return try body()
    } catch {
      checkText(what, "\(error)")
      return nil
    }
  }

  func checkText(_ what: String, _ text: String) {
    if text.unicodeScalars.contains(where: \.isControl) {
      mistakes.append("\(what) says \(text.debugDescription)")
    }
  }

  func answer(of object: SecretVault, _ account: String, _ state: String) -> String?? {
    attempt("\(state): \(account)") { try object.text(account) }
  }

  /// Checks that every answer is true or, without remembered state, was true once.
  func checkAnswers(of object: SecretVault, _ state: String, isLocked: Bool = false) {
    var answers: [String: String] = [:]
    var errorCount = 0
    for account in corpus.accounts {
      guard let answer = answer(of: object, account, state) else {
        errorCount += 1
        // All others fail with the same error, each after reading the whole file.
        if object.contents.withLock({ $0.trustError != nil }) { break }
        continue
      }
      answers[account] = answer
      if !forgery.isOfThisVault { continue }
      if isLocked, answer != nil, !corpus.readableWhileLocked.contains(account) {
        mistakes.append("\(state): \(account) is readable")
      }
      let isRight =
        forgery.isRemembered
        ? answer == corpus.truth[account]
        : answer.map { corpus.held[account]?.contains($0) == true } ?? true
      if !isRight { mistakes.append("\(state): \(account) is \(answer ?? "absent")") }
    }
    if isLocked { return }
    let found = attempt("\(state): verify") { try object.verify() }
    // An unproven key table means the same as locked records, even if none are left to count.
    guard let found, found.isSound, found.isKeyTableProven, found.lockedCount == 0,
      forgery.isOfThisVault
    else { return }
    if errorCount > 0 {
      mistakes.append("\(state): verify() finds nothing, but \(errorCount) items are not readable")
    } else if !corpus.states.contains(answers) {
      mistakes.append("\(state): verify() finds nothing in \(answers)")
    }
  }

  /// Checks that items saved from a damaged vault are current or earlier ones of that vault.
  func checkSaved(by object: SecretVault, _ state: String) {
    let saved = attempt("\(state): salvage") { try object.salvageableItems() }
    for (item, secret) in saved ?? [] where forgery.isOfThisVault {
      let account = item.identity.account ?? ""
      if corpus.held[account]?.contains(secret.text) != true {
        mistakes.append("\(state): \(account) is saved as \(secret.text)")
      }
    }
  }

  /// Checks that neither the forger's passphrase nor an earlier one is accepted.
  func checkStrangers(
    _ passphrases: [Secret] = [ForgerKeys.passphrase, Corpus.revoked], at object: SecretVault,
    _ state: String
  ) {
    for (name, passphrase) in zip(["the forger's", "an earlier"], passphrases) {
      let isRight = attempt("\(state): isPassphrase") { try object.isPassphrase(passphrase) }
      if isRight == true { mistakes.append("\(state): \(name) passphrase is right") }
      let isOpen: Void? = attempt("\(state): unlock") {
        try object.unlock(with: .passphrase(passphrase))
      }
      if isOpen != nil { mistakes.append("\(state): \(name) passphrase unlocks the vault") }
    }
  }
}

/// A vault that imports forged files.
private final class Recipient {
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

extension Unicode.Scalar {
  /// Whether a terminal may interpret it.
  fileprivate var isControl: Bool {
    if value < 0x80 { return value < 0x20 || value == 0x7F }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}

extension MeasuredCipher.Work {
  /// The counter that is more than linear in the size of a file, or beyond a tolerable wait.
  fileprivate func excess(for size: Int) -> String? {
    let limit = 16 * size + 65536
    // The extra bytes that each of a few reads may hash in vain; see the format's page.
    if digested > limit + 5 * 18 << 20 { return "digests \(digested) bytes of \(size)" }
    if opened > limit { return "opens \(opened) bytes of \(size)" }
    if sealed > limit { return "seals \(sealed) bytes of \(size)" }
    if derived > limit / 64 { return "derives \(derived) keys of \(size) bytes" }
    if stretched > 64 { return "stretches a passphrase \(stretched) times" }
    return nil
  }
}

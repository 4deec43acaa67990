import StorageInternals

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

  /// Returns the violations that a forgery causes.
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

  private func putSound() throws {
    try corpus.put(corpus.bytes, state: state)
  }

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
    let unlocked = corpus.open()
    let locked = corpus.open()
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
    let isOpen: Void? = attempt("unlock after") {
      try corpus.unlock(locked)
    }
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
      if corpus.form == .passphrase {
        checkAnswers(of: object, "before unlocking", isLocked: true)
      }
      checkStrangers(at: object, "opened")
    }
    let isOpen: Void? = attempt("unlock") {
      try corpus.unlock(object)
    }
    checkAnswers(of: object, "opened")
    checkSaved(by: object, "opened")
    checkText("diagnose", object.diagnose().description.split(separator: "\n").joined())
    let added = attempt("add") {
      try object.add("new", account: "new")
    }
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
      for case .refused(let reason) in report.entries.map(\.outcome) {
        checkText("import", reason)
      }
      mistakes += recipient.mistakes(held: forgery.isOfThisVault ? corpus.held : nil)
      try recipient.startOver()
    }
  }
}

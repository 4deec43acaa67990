import Concurrency

@testable import SecretStorage

// Queries, and checks of their answers.
extension ForgeryJudge {
  /// Runs a throwing operation, and judges its work and its message.
  func attempt<Result>(
    _ what: String, _ body: () throws -> Result
  ) -> Result? {
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

  /// Checks that a message has no control characters.
  func checkText(_ what: String, _ text: String) {
    if text.unicodeScalars.contains(where: \.isControl) {
      mistakes.append("\(what) says \(text.debugDescription)")
    }
  }

  /// The answer for an account; nil for an error.
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
        if object.isDistrusted { break }
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
    let saved = attempt("\(state): salvage") {
      try object.salvageableItems()
    }
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
      let isRight = attempt("\(state): isPassphrase") {
        try object.isPassphrase(passphrase)
      }
      if isRight == true { mistakes.append("\(state): \(name) passphrase is right") }
      let isOpen: Void? = attempt("\(state): unlock") {
        try object.unlock(with: .passphrase(passphrase))
      }
      if isOpen != nil { mistakes.append("\(state): \(name) passphrase unlocks the vault") }
    }
  }
}

extension SecretVault {
  fileprivate var isDistrusted: Bool { contents.withLock { $0.trustError != nil } }
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

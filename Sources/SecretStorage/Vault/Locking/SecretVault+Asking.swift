import Concurrency

extension SecretVault {
  /// Asks the user for a passphrase until it unlocks the vault or no attempts are left.
  ///
  /// ```swift
  /// try await vault.unlock(asking: .terminal, attempts: 3)
  /// ```
  ///
  /// A vault that is unlocked or does not exist is left as it is, and the user is not asked. If
  /// several tasks ask for the same vault object, the user answers once. Each attempt takes as much
  /// time and memory as `unlock(with:)`, on a thread of its own. An empty answer
  /// counts as a wrong passphrase.
  ///
  /// On a ``TerminalConversation``, Ctrl-C ends the process as usual, with the terminal restored;
  /// if the app survives the signal, this method throws ``SecretStoreError/cancelled``, as it does
  /// after Ctrl-D. After an error, the vault is locked.
  ///
  /// - Parameters:
  ///   - conversation: The user interface: the terminal, a ``CustomConversation`` or the app's own.
  ///   - factor: The second factor of a slot that needs a passphrase as well; nil to use a slot for
  ///     a passphrase alone. It is read before the user is asked.
  ///   - reason: The reason to show to the user; nil names the vault.
  ///   - attempts: The maximum number of attempts, at least one.
  ///   - timeout: The time within which each question must be answered; nil means no limit.
  /// - Throws: The error of the conversation, of reading the vault or of unlocking it, or an error
  ///   below.
  ///   - ``SecretStoreError/wrongPassphrase`` after the last wrong passphrase, or with a second
  ///     factor ``SecretStoreError/wrongKey(_:)``.
  ///   - ``SecretStoreError/cancelled`` if the user or the task cancelled, or ``lock()`` was called
  ///     while a key was derived.
  ///   - ``SecretStoreError/unavailable(_:)`` if there is no terminal, or if a question was not
  ///     answered in time.
  ///   - ``SecretStoreError/invalid(_:)`` if the vault has no such slot.
  public func unlock(
    asking conversation: any AuthenticationConversation, with factor: UnlockKey.SecondFactor? = nil,
    reason: String? = nil, attempts: Int = 3, timeout: Duration? = nil
  ) async throws {
    if let error = SecretStoreError.needsThreads("Asking for a passphrase") { throw error }
    try await asking.wait()
    defer { asking.signal() }
    // Another task may have unlocked the vault in the meantime.
    guard
      try await runBlocking({ () throws(SecretStoreError) in try self.needsPassphrase(with: factor)
      })
    else { return }
    try await conversation.show(.reason(reason ?? "Unlock \(try location.log.name)"))
    for remaining in (0..<max(attempts, 1)).reversed() {
      let passphrase = try await conversation.answer(to: .hidden("Passphrase: "), within: timeout)
      let key = factor.key(with: passphrase)
      do {
        if passphrase.count == 0 { throw key.wrongKeyError }
        return try await unlock(with: key)
      } catch let error as SecretStoreError where error == key.wrongKeyError {
        let object = factor == nil ? "The passphrase" : "The passphrase or the second factor"
        let advice = remaining == 0 ? "" : " Try again."
        try await conversation.show(.error("\(object) is wrong.\(advice)"))
        if remaining == 0 { throw error }
      }
    }
  }

  /// Returns whether the vault is locked; throws if asking for a passphrase cannot unlock it.
  private func needsPassphrase(
    with factor: UnlockKey.SecondFactor?
  ) throws(SecretStoreError) -> Bool {
    let table = try withContents { contents throws(SecretStoreError) -> KeyTable? in
      let table = try contents.currentTable()
      return contents.keys.isUnlocked ? nil : table
    }
    guard let table else { return false }
    let key = factor.key(with: Secret([]))
    guard table.slots.contains(where: { $0.kind.accepts(key.kind) }) else {
      throw key.missingSlotError(in: table)
    }
    if let factor { _ = try factor.load(location.device) }
    return true
  }
}

extension UnlockKey.SecondFactor? {
  /// Returns the key that a passphrase and the factor, if any, make up.
  fileprivate func key(with passphrase: Secret) -> UnlockKey {
    map { .twoFactors(passphrase: passphrase, $0) } ?? .passphrase(passphrase)
  }
}

extension AuthenticationConversation {
  /// Asks a question; throws `unavailable` if it is not answered in time.
  func answer(
    to question: AuthenticationQuestion, within timeout: Duration?
  ) async throws(SecretStoreError) -> Secret {
    guard let timeout else { return try await ask(question) }
    let result = await withTaskGroup(
      of: Result<Secret, SecretStoreError>?.self, returning: Result<Secret, SecretStoreError>?.self
    ) { group in
      group.addTask {
        do throws(SecretStoreError) {
          return .success(try await ask(question))
        } catch {
          return .failure(error)
        }
      }
      group.addTask {
        do {
          // The clock cannot represent much longer times; this one is 136 years.
          try await Task.sleep(for: min(max(timeout, .zero), .seconds(1 << 32)))
        } catch {
          // The question has ended, or ends because the task is cancelled.
        }
        return nil
      }
      let first = await group.next()
      group.cancelAll()
      if let answer = first ?? nil { return answer }
      // The question may have been answered just before it was cancelled.
      let last = await group.next()
      if case .success(let answer)?? = last { return .success(answer) }
      return nil
    }
    if let result { return try result.get() }
    if Task.isCancelled { throw .cancelled }
    throw .unavailable("The question was not answered within \(timeout).")
  }
}

import CLibrary
import Dispatch
import SecretStorage

extension Job {
  /// Asks on the terminal for the vault's passphrase, and prints the result.
  func authenticate(_ vault: SecretVault) async throws {
    let authenticator = PassphraseAuthenticator(for: vault, attempts: try number(0))
    do throws(SecretStoreError) {
      let proofs = try await authenticator.authenticate(
        AuthenticationRequest(reason: "Show the recovery key", accepting: .any))
      printLine("Proved: \(proofs)")
    } catch {
      printLine("Error: \(error)")
    }
  }

  /// See ``Mode/unlock``.
  func unlock(_ vault: SecretVault) async throws {
    let (attempts, milliseconds) = (try number(0), try number(1))
    let kind = parameters.count > 2 ? parameters[2] : ""
    if kind == "handling" { signal(SIGINT) { _ in printLine("A signal came.") } }
    let task = Task {
      do {
        try await vault.unlock(
          asking: .terminal, reason: "Show the recovery key", attempts: attempts,
          timeout: milliseconds == 0 ? nil : .milliseconds(milliseconds))
        printLine("Unlocked: \(try !vault.isLocked)")
      } catch {
        printLine("Error: \(error)")
        // No key may be in memory after any of the errors.
        printLine("Locked: \((try? vault.isLocked) == true)")
      }
    }
    let source = kind == "cancelled" ? Self.source(of: SIGUSR1) { task.cancel() } : nil
    defer { source?.cancel() }
    await task.value
  }

  /// Asks a question on the terminal, and prints the result.
  ///
  /// With `cancelled`, SIGUSR1 cancels the task; with `handling`, the process has its own handlers
  /// of SIGINT and SIGCONT; with `locking`, the vault is unlocked and locks at a suspension; with
  /// `twice`, two tasks ask at once.
  func ask(_ kind: String, beside vault: SecretVault) async throws {
    if kind == "handling" {
      for number in [SIGINT, SIGCONT] { signal(number) { _ in printLine("A signal came.") } }
    }
    if kind == "locking" {
      vault.automaticLocking = AutomaticLocking(whenSuspended: true)
      guard try !vault.isLocked else { throw Misuse() }
    }
    let question: AuthenticationQuestion =
      kind == "visible" ? .visible("Name: ") : .hidden("Password: ")
    let task = Task { await Self.answer(to: question) }
    let second = kind == "twice" ? Task { await Self.answer(to: question) } : nil
    let source = kind == "cancelled" ? Self.source(of: SIGUSR1) { task.cancel() } : nil
    defer { source?.cancel() }
    printLine(await task.value)
    if let second { printLine(await second.value) }
  }

  private static func answer(to question: AuthenticationQuestion) async -> String {
    do throws(SecretStoreError) {
      let answer = try await TerminalConversation().ask(question)
      return unsafe answer.withUnsafeBytes { bytes in
        if bytes.count > 100 {
          return "Answer: \(bytes.count) bytes, \(unsafe Set(bytes).count) different"
        }
        let digits = unsafe bytes.map { String($0, radix: 16) }
        return "Answer: \(digits.joined(separator: " "))"
      }
    } catch {
      return "Error: \(error)"
    }
  }

  private static func source(
    of number: Int32, _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    var mask = sigset_t()
    // The pointers are to variables of this call.
    unsafe sigemptyset(&mask)
    unsafe sigaddset(&mask, number)
    unsafe pthread_sigmask(SIG_BLOCK, &mask, nil)
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handler)
    source.activate()
    return source
  }
}

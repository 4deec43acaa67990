import CLibrary
import Dispatch
import SecretStorage

// Questions on the terminal.
extension Job {
  /// `attempts`: asks on the terminal for the vault's passphrase.
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

  /// `kind`: asks a `hidden` or `visible` question on the terminal, and prints the result.
  ///
  /// With `cancelled`, SIGUSR1 cancels the task; with `handling`, the job handles SIGINT, SIGCONT;
  /// with `locking`, the vault is unlocked until a suspension; with `twice`, two tasks ask at once.
  func ask(beside vault: SecretVault) async throws {
    let kind = try parameter(0)
    if kind == "handling" {
      for number in [SIGINT, SIGCONT] { signal(number) { _ in printLine("A signal came.") } }
    }
    if kind == "locking" {
      vault.automaticLocking = AutomaticLocking(whenSuspended: true)
      guard try !vault.isLocked else { throw Misuse() }
    }
    let question: AuthenticationQuestion =
      kind == "visible" ? .visible("Name: ") : .hidden("Password: ")
    let begin = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      // The source of the signal precedes the question, at which the signal is sent.
      for await _ in begin.stream {}
      return await Self.answer(to: question)
    }
    let second = kind == "twice" ? Task { await Self.answer(to: question) } : nil
    let source =
      kind == "cancelled"
      ? Self.source(of: SIGUSR1, whenRegistered: begin.continuation.finish) { task.cancel() } : nil
    if source == nil { begin.continuation.finish() }
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
    of number: Int32, whenRegistered: @escaping @Sendable () -> Void,
    _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    var mask = sigset_t()
    // The pointers are to variables of this call.
    unsafe sigemptyset(&mask)
    unsafe sigaddset(&mask, number)
    unsafe pthread_sigmask(SIG_BLOCK, &mask, nil)
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handler)
    source.setRegistrationHandler(handler: whenRegistered)
    source.activate()
    return source
  }
}

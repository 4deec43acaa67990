import Concurrency

@testable import SecretStorage

/// A conversation with scripted answers and a log of all messages.
final class ScriptedConversation: AuthenticationConversation {
  private struct State {
    var answers: [Result<Secret, SecretStoreError>]
    var log: [String] = []
  }

  private let state: Lock<State>

  init(result: Result<Secret, SecretStoreError>) { state = Lock(State(answers: [result])) }

  convenience init(_ answers: String...) { self.init(answers: answers) }

  init(answers: [String]) {
    state = Lock(State(answers: answers.map { .success(Secret($0.utf8)) }))
  }

  /// A line for each message and question: its kind and its text.
  var log: [String] { state.withLock { $0.log } }

  func show(_ message: AuthenticationMessage) {
    let line =
      switch message {
      case .reason(let text): "reason: \(text)"
      case .information(let text): "information: \(text)"
      case .error(let text): "error: \(text)"
      }
    state.withLock { $0.log.append(line) }
  }

  func ask(_ question: AuthenticationQuestion) async throws(SecretStoreError) -> Secret {
    let answer: Result<Secret, SecretStoreError>? = state.withLock { state in
      state.log.append("\(question.isHidden ? "hidden" : "visible"): \(question.text)")
      return state.answers.isEmpty ? nil : state.answers.removeFirst()
    }
    if let answer { return try answer.get() }
    try await waitForCancellation()
  }
}

extension Authenticator {
  func outcome(
    accepting accepted: AuthenticationProofs = .any, because reason: String = "Because"
  ) async -> Result<AuthenticationProofs, SecretStoreError> {
    do throws(SecretStoreError) {
      return .success(
        try await authenticate(AuthenticationRequest(reason: reason, accepting: accepted)))
    } catch {
      return .failure(error)
    }
  }
}

extension Result where Failure == SecretStoreError {
  var error: SecretStoreError? { if case .failure(let error) = self { error } else { nil } }

  var denial: String? { if case .failure(.denied(let reason)) = self { reason } else { nil } }

  var unavailability: String? {
    if case .failure(.unavailable(let reason)) = self { reason } else { nil }
  }
}

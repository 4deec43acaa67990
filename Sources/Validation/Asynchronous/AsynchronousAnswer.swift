/// What an ``AsynchronousCheck`` answers about a value.
public enum AsynchronousAnswer: Hashable, Sendable {
  /// The demand holds.
  case satisfied
  /// It does not: the check is ``ValidationCheck/State/broken``, with this advice.
  case rejected(ValidationMessage? = nil)
}

extension AsynchronousAnswer {
  var outcome: AsynchronousOutcome {
    switch self {
    case .satisfied: AsynchronousOutcome(state: .satisfied)
    case .rejected(let advice): AsynchronousOutcome(state: .broken, advice: advice)
    }
  }
}

/// How an asynchronous check stands.
struct AsynchronousOutcome: Hashable, Sendable {
  var state: ValidationCheck.State
  var advice: ValidationMessage?
}

/// The state and advice of an asynchronous check.
struct AsynchronousOutcome: Hashable, Sendable {
  var state: ValidationCheck.State
  var advice: ValidationMessage?
}

/// One requirement for a value, and its state.
public struct ValidationCheck: Hashable, Sendable, Identifiable {
  /// The identity of a check in its validator, the same at every keystroke.
  public struct ID: Hashable, Sendable {
    /// The name given by the app or by the kind of check.
    public let name: String
    /// The index among the checks of the same name, from zero.
    public let ordinal: Int

    init(_ name: String, ordinal: Int = 0) {
      self.name = name
      self.ordinal = ordinal
    }
  }

  /// The state of a check.
  public enum State: Hashable, Sendable {
    /// The requirement holds.
    case satisfied
    /// The requirement does not hold yet: more typing can meet it.
    case notYet
    /// The requirement does not hold, and something must be deleted or replaced.
    case broken
    /// The check has not run yet, because earlier checks do not hold or the field is untouched.
    case waiting
    /// The answer is pending.
    case pending
    /// The check could not run, for the reason given.
    case unavailable(UnavailabilityReason)
  }

  /// A reason why a check could not run.
  public enum UnavailabilityReason: Hashable, Sendable {
    /// No answer came in time.
    case timedOut
    /// The check failed; the text is the type name of the error, for a log.
    case failed(String)
  }

  /// Whether a value that fails the check is invalid.
  public enum Severity: Hashable, Sendable {
    /// The value is invalid.
    case requirement
    /// The value is valid; the check is advice.
    case recommendation
  }

  /// The identity of the check in its validator.
  public internal(set) var id: ID
  /// Whether a value that fails the check is invalid.
  public internal(set) var severity = Severity.requirement
  /// The constant requirement.
  public internal(set) var requirement: ValidationMessage
  /// The state of the check.
  public internal(set) var state = State.notYet
  /// The action to take; nil if the requirement says it all.
  public internal(set) var advice: ValidationMessage?
  /// The places in a text that break the requirement, in Unicode code points from the start.
  public internal(set) var places: [Range<Int>] = []

  /// The advice, or else the requirement.
  public var message: ValidationMessage { advice ?? requirement }
}

/// One requirement for a value, and its state.
public struct ValidationCheck: Hashable, Sendable, Identifiable {
  /// The identity of a check in its report, which is the same for all values.
  public struct ID: Hashable, Sendable {
    /// The name, which the app or the kind of check defines.
    public let name: String
    /// The zero-based index among the checks with the same name.
    public let ordinal: Int
  }

  /// The state of a check.
  public enum State: Hashable, Sendable {
    /// The requirement holds.
    case satisfied
    /// The requirement does not hold yet, but appending to the value can meet it.
    case incomplete
    /// The requirement does not hold, and a part of the value must be deleted or replaced.
    case violated
    /// The check has not run, because other checks fail or the field is untouched.
    case waiting
    /// The check is running.
    case pending
    /// The check failed to run, with the reason.
    case unavailable(UnavailabilityReason)
  }

  /// Why a check failed to run.
  public enum UnavailabilityReason: Hashable, Sendable {
    /// The check did not finish in time.
    case timedOut
    /// The check threw an error of the type with this name.
    case failed(String)
  }

  /// The effect of a failed check on the validity of a value.
  public enum Severity: Hashable, Sendable {
    /// A value that fails the check is invalid.
    case requirement
    /// A value that fails the check is still valid.
    case recommendation
  }

  /// The identity of the check in its report.
  public internal(set) var id: ID
  /// The effect of a failed check on the validity of a value.
  public internal(set) var severity = Severity.requirement
  /// The requirement, which is the same for all values.
  public internal(set) var requirement: ValidationMessage
  /// The state of the check.
  public internal(set) var state = State.incomplete
  /// The action that the user should take, or nil if the requirement is sufficient.
  public internal(set) var advice: ValidationMessage?
  /// The positions that violate the requirement: the code points of a string, or the elements of a
  /// collection.
  public internal(set) var positions: [Range<Int>] = []

  /// The advice, or the requirement if there is no advice.
  public var message: ValidationMessage { advice ?? requirement }

  init(_ name: String, _ requirement: ValidationMessage) {
    id = ID(name: name, ordinal: 0)
    self.requirement = requirement
  }

  var isFailed: Bool { state == .incomplete || state == .violated }
}

/// One thing that is demanded of a value, and how it stands.
public struct ValidationCheck: Hashable, Sendable, Identifiable {
  /// Which check of its validator it is, the same at every keystroke.
  public struct ID: Hashable, Sendable {
    /// The name that the app or the check's kind gave it.
    public let name: String
    /// Its place among the checks of the same name, from zero.
    public let ordinal: Int

    init(_ name: String, ordinal: Int = 0) {
      self.name = name
      self.ordinal = ordinal
    }
  }

  /// How a check stands.
  public enum State: Hashable, Sendable {
    /// It holds.
    case satisfied
    /// It does not hold yet: more typing can satisfy it.
    case notYet
    /// It does not hold, and something must be deleted or replaced.
    case broken
    /// It has not been made yet, because those that are made first do not hold, or nobody has touched
    /// the field.
    case waiting
    /// Its answer is awaited.
    case pending
    /// It could not be made, for the reason given.
    case unavailable(UnavailabilityReason)
  }

  /// Why a check could not be made.
  public enum UnavailabilityReason: Hashable, Sendable {
    /// No answer came in time.
    case timedOut
    /// It failed; the text names the type of the error, for a log.
    case failed(String)
  }

  /// Whether a value that fails the check is invalid.
  public enum Severity: Hashable, Sendable {
    /// It is.
    case requirement
    /// It is not; the check is advice.
    case recommendation
  }

  /// Which check of its validator it is.
  public internal(set) var id: ID
  /// Whether a value that fails the check is invalid.
  public internal(set) var severity = Severity.requirement
  /// What is demanded, always the same.
  public internal(set) var requirement: ValidationMessage
  /// How the check stands.
  public internal(set) var state = State.notYet
  /// What to do about it; nil when nothing more can be said than the requirement does.
  public internal(set) var advice: ValidationMessage?
  /// Where a text breaks the demand, in Unicode code points from its beginning.
  public internal(set) var places: [Range<Int>] = []

  /// What to do, or what is demanded where there is no advice.
  public var message: ValidationMessage { advice ?? requirement }
}

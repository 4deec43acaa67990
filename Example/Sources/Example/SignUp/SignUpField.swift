/// What a person fills in.
enum SignUpField: Int, CaseIterable {
  case userName, password, repetition

  var isSecret: Bool { self != .userName }

  var next: SignUpField? { SignUpField(rawValue: rawValue + 1) }
  var previous: SignUpField? { SignUpField(rawValue: rawValue - 1) }
}

/// A check as it is shown.
struct ShownCheck: Equatable {
  enum State: Equatable {
    case satisfied
    /// More typing can satisfy it.
    case notYet
    /// Something must be deleted or replaced.
    case broken
    /// It is made when the others hold.
    case waiting
    /// Its answer is awaited.
    case pending
    /// It could not be made.
    case unavailable
  }

  var text: String
  var state: State
}

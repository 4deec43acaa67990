/// What the program tells its caller.
enum ExitStatus: Int32 {
  case done = 0
  /// What was asked for is not there, or a person has refused it; that is an answer and no failure.
  case absent = 1
  case failed = 2

  /// What was to be judged is not as it should be, which is an answer as well.
  static let refused = absent
}

extension ExitStatus: Comparable {
  /// Whether one tells of less trouble than another.
  static func < (one: ExitStatus, other: ExitStatus) -> Bool { one.rawValue < other.rawValue }
}

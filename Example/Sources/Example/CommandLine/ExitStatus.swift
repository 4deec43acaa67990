/// What the program tells its caller.
enum ExitStatus: Int32 {
  case done = 0
  /// What was asked for is not there, or a person has refused it; that is an answer and no failure.
  case absent = 1
  case failed = 2
}

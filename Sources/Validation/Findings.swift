/// The checks of a report while a value is looked at.
///
/// Only what changed is written, so that a report that nothing changed shares its memory with the one
/// before.
struct Findings {
  private(set) var checks: [ValidationCheck]
  /// Where the checks of the rule begin that is looking.
  var offset = 0

  init(_ checks: [ValidationCheck]) {
    self.checks = checks
  }

  /// Says how a check of the rule stands.
  mutating func note(
    _ state: ValidationCheck.State, at index: Int = 0, advice: ValidationMessage? = nil,
    places: [Range<Int>] = []
  ) {
    let index = offset + index
    if checks[index].state != state { checks[index].state = state }
    if checks[index].advice != advice { checks[index].advice = advice }
    if checks[index].places != places { checks[index].places = places }
  }
}

/// Does work that is linear in its input on one of many parts.
///
/// Quadratic work would not end before the watchdog ends the run.
package func expectLinear<Input>(
  _ make: (Int) -> Input, _ work: (Input) throws -> Void
) rethrows {
  try work(make(200_000))
}

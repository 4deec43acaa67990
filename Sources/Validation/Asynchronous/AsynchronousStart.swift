/// The start of a run of an asynchronous check.
struct AsynchronousStart<Value: Sendable>: Sendable {
  /// The index of the check.
  let index: Int
  /// The number of the run.
  let number: UInt64
  let isDebounced: Bool
  let value: Value
}

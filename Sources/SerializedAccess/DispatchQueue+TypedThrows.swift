import Dispatch

extension DispatchQueue {
  /// Runs a closure on the queue and waits for it; throws errors of the type that the closure
  /// throws.
  func run<Output, Failure: Error>(
    _ work: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    var outcome: Result<Output, Failure>?
    // The overload of `sync` that returns a result allocates more and is slower.
    sync {
      do throws(Failure) {
        outcome = .success(try work())
      } catch {
        outcome = .failure(error)
      }
    }
    guard let outcome else { fatalError("The queue \"\(label)\" did not run its work.") }
    return try outcome.get()
  }
}

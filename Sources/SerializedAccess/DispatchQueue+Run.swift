import Dispatch

extension DispatchQueue {
  /// Runs `work` on the queue and waits for it; keeps the type of its error.
  func run<Output, Failure: Error>(
    _ work: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    var outcome: Result<Output, Failure>?
    // Without a result: the `sync` that returns one allocates more and is slower.
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

extension Serialized where Value: Sendable {
  /// Changes the value in one access, and suspends the task until then.
  ///
  /// The access is scheduled as with ``asyncAccess(_:)``, and the closure runs where it would
  /// there; no thread waits.
  ///
  /// - Parameter body: What to do with the value. It must not access the same value otherwise.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; or `CancellationError` if the task is cancelled before the
  ///   closure begins, which then never does. A closure that has begun runs to its end.
  public func access<Output>(
    _ body: @escaping @Sendable (inout Value) throws -> sending Output
  ) async throws -> sending Output {
    if exclusion.isInForkedChild {
      // No queue is sure to run the access, nor to resume the task.
      try Task.checkCancellation()
      return try inOrder { try mutate(body) }
    }
    let access = SuspendedAccess<Output>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard access.wait(with: continuation) else { return }
        schedule(
          ScheduledAccess(
            begin: { access.begin() },
            body: { value in
              do {
                access.resume(returning: try body(&value))
              } catch {
                access.resume(throwing: error)
              }
            }))
      }
    } onCancel: {
      access.cancel()
    }
  }
}

extension Serialized {
  /// Changes the value in one access, and waits for it.
  ///
  /// ```swift
  /// let ticket = $tickets.access { tickets in tickets.popLast() }
  /// ```
  ///
  /// Waits for the accesses that are under way, and for what was scheduled before. Observers are
  /// told even when the closure only reads or throws.
  ///
  /// - Parameter body: What to do with the value. It must not access the same value otherwise.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; changes made until then stay.
  public func access<Output, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    guard enterDirectly() else {
      return try inOrder { () throws(Failure) in try mutate(body) }
    }
    defer { exclusion.leave() }
    return try mutate(body)
  }
}

extension Serialized where Value: Sendable {
  /// Schedules a change of the value and returns at once.
  ///
  /// Changes happen in the order in which they were scheduled. A later access on the same thread
  /// that waits sees this one done.
  ///
  /// The closure runs on the queue, or on the thread of an access that would have to wait for it.
  /// With a queue of the caller's it runs on that queue.
  ///
  /// - Parameter body: What to do with the value. It must not access the same value otherwise.
  public func asyncAccess(_ body: @escaping @Sendable (inout Value) -> Void) {
    schedule(ScheduledAccess(body: body))
  }

  /// Schedules the replacement of the value by one that is made from it, and returns at once.
  ///
  /// As ``asyncAccess(_:)``, for a function that returns the new value instead of changing it.
  ///
  /// - Parameter transform: Makes the new value. It must not access the same value otherwise.
  public func asyncAccess(transform: @escaping @Sendable (Value) -> Value) {
    schedule(ScheduledAccess(body: { value in value = transform(value) }))
  }
}

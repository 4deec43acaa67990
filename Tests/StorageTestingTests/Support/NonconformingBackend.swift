import Concurrency
import KeyValueStorage

/// A backend that commits one violation of the contract, or none.
final class NonconformingBackend: KeyValueBackend {
  let format = KeyValueFormat.json
  let name = "a test server"
  let violation: BackendViolation?
  let server: TestServer
  private let cache = Lock<KeyValueContents?>(nil)
  private let updates = Lock(0)
  /// The number of reads of this backend; those of another one must not decide about its answers.
  private let reads = Lock(0)

  init(_ violation: BackendViolation?) {
    self.violation = violation
    server = TestServer()
    if violation == .startsWithAKey {
      server.state.withLock {
        $0.contents = KeyValueContents([("welcome", ArraySlice("1".utf8))], revision: 1)
      }
    }
  }

  /// Creates a backend on the same storage, as after a crash of the other one.
  init(reopening other: NonconformingBackend) {
    violation = other.violation
    server = other.server
    if violation == .claimsDurability { server.state.withLock { $0.contents = $0.durable } }
  }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    if violation == .answersFromItsCache, let cached = cache.withLock({ $0 }) { return cached }
    let number = reads.withLock { number in
      number += 1
      return number
    }
    let contents = try server.state.withLock { state throws(KeyValueStoreError) in
      if state.isDown, violation == .answersEmptyWhenInterrupted {
        return KeyValueContents([], revision: state.contents.revision)
      }
      if state.isDamaged, violation == .answersEmptyWhenDamaged {
        return KeyValueContents([], revision: state.contents.revision)
      }
      try Self.requireReadable(state)
      state.reads += 1
      switch violation {
      case .readsGoBack where number.isMultiple(of: 3): return state.previous
      case .inventsOldValues:
        let shown = number.isMultiple(of: 2) ? state.previous : state.contents
        return shown.applying(KeyValueChanges(), revision: Int64(state.reads))
      case .reusesRevisions:
        return state.contents.applying(
          KeyValueChanges(), revision: Int64(state.contents.keys.count))
      default: return state.contents
      }
    }
    cache.withLock { $0 = contents }
    return contents
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    try server.state.withLock { state throws(KeyValueStoreError) in
      switch violation {
      case .hidesChanges: return false
      case .inventsOldValues: return true
      case .answersEmptyWhenInterrupted where state.isDown: return false
      default:
        try Self.requireReadable(state)
        return state.contents.revision != revision
      }
    }
  }

  private static func requireReadable(_ state: TestServer.State) throws(KeyValueStoreError) {
    if state.isDown { throw .unavailable("The server is down.") }
    if state.isDamaged {
      throw .unreadable(UnreadableFile(path: "contents", reason: "unexpected byte", offset: 0))
    }
  }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    let number = updates.withLock { number in
      number += 1
      return number
    }
    if violation == .notifiesBeforeTheChange { notify() }
    let (contents, isChanged) = try write(changes, number)
    cache.withLock { $0 = contents }
    let isRemoval = isChanged && contents.count < server.state.withLock { $0.previous.count }
    switch violation {
    case .notifiesBeforeTheChange: break
    case .notifiesTwiceOrNever:
      if isChanged, !isRemoval { for _ in 0..<2 { notify() } }
    default: if isChanged { notify() }
    }
    if violation == .losesUpdates, number.isMultiple(of: 2) {
      server.state.withLock { $0.contents = $0.previous }
    }
    return contents
  }

  private func write(
    _ changes: (KeyValueContents) -> KeyValueChanges, _ number: Int
  ) throws(KeyValueStoreError) -> (KeyValueContents, isChanged: Bool) {
    while true {
      let base = try server.state.withLock { state throws(KeyValueStoreError) in
        switch violation {
        case .claimsToWriteWhenInterrupted, .writesAndThrows: break
        case .overwritesDamage, .answersEmptyWhenDamaged:
          if state.isDown { try Self.requireReadable(state) }
        default: try Self.requireReadable(state)
        }
        if violation == .losesConcurrentUpdates, number.isMultiple(of: 5) { return state.previous }
        return state.contents
      }
      let cached = violation == .computesFromStaleContents ? cache.withLock { $0 } : nil
      let computed = altered(changes(cached ?? base))
      if computed.isEmpty, violation != .writesWithoutChanges { return (base, false) }
      let written = try server.state.withLock { state throws(KeyValueStoreError) in
        let isOverwriting = violation == .losesConcurrentUpdates || violation == .overwritesDamage
        guard isOverwriting || state.contents.revision == base.revision else {
          return KeyValueContents?.none
        }
        if state.isDown, violation == .claimsToWriteWhenInterrupted { return base }
        let start = violation == .losesOtherKeys ? KeyValueContents([], revision: 0) : base
        let changed = limited(start.applying(computed, revision: state.contents.revision + 1))
        if violation == .reordersUpdates, number > 5, number.isMultiple(of: 3) {
          // The update before this one wins.
          state.contents = state.contents.applying(
            KeyValueChanges(), revision: state.contents.revision + 2)
        } else {
          state.write(changed)
        }
        if violation != .claimsDurability { state.durable = state.contents }
        if violation == .writesAndThrows { try Self.requireReadable(state) }
        return changed
      }
      if let written { return (written, true) }
    }
  }

  private func notify() {
    let handlers = server.state.withLock { state in
      state.observers
        .filter { violation != .notifiesOfOwnChangesOnly || $0.backend == ObjectIdentifier(self) }
        .map(\.handler)
    }
    let notifyAll = { @Sendable in for handler in handlers { handler() } }
    switch violation {
    case .neverNotifies: break
    case .notifiesLate: _ = server.thread.run(after: .seconds(600), notifyAll)
    case .notifiesInsideUpdates: notifyAll()
    case .notifiesBeforeTheChange:
      // The change waits for the handlers.
      let done = Lock(false)
      server.thread.run {
        notifyAll()
        done.withLock { $0 = true }
      }
      while !done.withLock({ $0 }) {}
    case .notifiesTwice:
      server.thread.run(notifyAll)
      _ = server.thread.run(after: .milliseconds(10), notifyAll)
    case .inventsOldValues:
      // An odd number of reads, so that they do not end with the same contents each time.
      for _ in 0..<3 { server.thread.run(notifyAll) }
    default: server.thread.run(notifyAll)
    }
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    let id = server.state.withLock { state in
      let id = (state.observers.last?.id ?? 0) + 1
      state.observers.append((id, ObjectIdentifier(self), handler))
      return id
    }
    if violation == .notifiesAfterRelease { return KeyValueObservation {} }
    return KeyValueObservation { [server] in
      server.state.withLock { $0.observers.removeAll { $0.id == id } }
    }
  }

  func moveAside() throws(KeyValueStoreError) -> String? {
    server.state.withLock { state in
      if violation == .leavesDamage { return nil }
      guard state.isDamaged || violation == .movesReadableContents else { return nil }
      state.isDamaged = false
      state.write(KeyValueContents([], revision: state.contents.revision + 1))
      return "contents.damaged"
    }
  }
}

import Concurrency
import KeyValueStorage
import Synchronization

/// A backend that commits one violation of the contract, or none.
///
/// Its instances share a medium in memory, which has one writer at a time.
final class NonconformingBackend: KeyValueBackend {
  let format = KeyValueFormat.json
  let name = "a medium in memory"
  private let violation: BackendViolation?
  /// Whether each access has contents of a new revision, and a large key or value is refused.
  private let isUnusual: Bool
  private let medium: Medium
  private let calls = Atomic(0)

  init(_ violation: BackendViolation?, isUnusual: Bool = false) {
    self.violation = violation
    self.isUnusual = isUnusual
    let values = violation == .startsWithKey ? [("old", ArraySlice("1".utf8))] : []
    medium = Medium(KeyValueContents(values, revision: 0))
  }

  /// Creates another instance with the same content.
  init(reopening backend: NonconformingBackend) {
    violation = backend.violation
    isUnusual = backend.isUnusual
    medium = violation == .doesNotShareContents ? Medium() : backend.medium
  }

  /// Creates an instance with the content that a crash leaves.
  init(afterCrashOf backend: NonconformingBackend) {
    violation = backend.violation
    isUnusual = backend.isUnusual
    medium = Medium(backend.medium.state.withLock { $0.durable })
  }

  func damage() { medium.state.withLock { $0.isDamaged = true } }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    deliverLateNotifications()
    let state = medium.state.withLock { $0 }
    if state.isDamaged {
      if violation == .hidesDamage { return KeyValueContents([], revision: -1) }
      throw Self.damaged
    }
    if violation == .loadsPreviousContents { return state.previous }
    if violation == .inventsKey, !state.contents.isEmpty {
      return changed(state.contents, "invented", to: "1")
    }
    return numbered(state.contents)
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    if violation == .neverReportsChanges { return false }
    let number = isUnusual ? revision / Self.accessesPerRevision : revision
    return medium.state.withLock { $0.isDamaged || $0.contents.revision != number }
  }

  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    deliverLateNotifications()
    let (contents, result, isChanged) = try medium.writing.withLock {
      () throws(KeyValueStoreError) in try write(changes)
    }
    // No lock is held, because the handlers load.
    if isChanged { notify() }
    return (contents, result)
  }

  /// Makes changes as the only writer, and returns whether handlers are still to be called.
  private func write<Result>(
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result, isChanged: Bool) {
    let state = medium.state.withLock { $0 }
    if state.isDamaged, violation != .hidesDamage, violation != .overwritesDamage {
      throw Self.damaged
    }
    let base = numbered(violation == .updatesPreviousContents ? state.previous : state.contents)
    let outcome: (changes: KeyValueChanges, result: Result)
    do throws(KeyValueStoreError) {
      outcome = try changes(base)
    } catch {
      if violation == .writesDespiteErrors {
        medium.state.withLock { $0.contents = changed($0.contents, "partial", to: "1") }
      }
      // Without a result of the closure, only a result without a value can be returned.
      if violation == .swallowsErrors, let result = () as? Result { return (base, result, false) }
      throw error
    }
    let (wanted, result) = outcome
    if wanted.isEmpty, violation != .rewritesForEmptyUpdates {
      if violation == .notifiesOfEmptyUpdates { medium.notify(by: self) }
      return (base, result, false)
    }
    if isUnusual, wanted.all.contains(where: { max($0.key.utf8.count, $0.value?.count ?? 0) > 900 })
    {
      throw .tooLarge(path: name, limit: 900)
    }
    if violation == .notifiesBeforeChanges { medium.notify(by: self) }
    let written = numbered(commit(altered(wanted)))
    let contents = violation == .returnsPreviousContents ? base : written
    return (contents, result, violation != .notifiesBeforeChanges)
  }

  private func notify() {
    switch violation {
    case .neverNotifies: break
    case .notifiesAtNextCall: medium.state.withLock { $0.hasLateNotification = true }
    case .notifiesTwice:
      medium.notify(by: self)
      medium.notify(by: self)
    default: medium.notify(by: self)
    }
  }

  private func deliverLateNotifications() {
    let isLate = medium.state.withLock { exchange(&$0.hasLateNotification, with: false) }
    if isLate { medium.notify(by: self) }
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    let id = medium.state.withLock { state in
      state.observerCount += 1
      let owner = violation == .notifiesOwnWritesOnly ? ObjectIdentifier(self) : nil
      state.observers[state.observerCount] = (owner, handler)
      return state.observerCount
    }
    if violation == .notifiesAfterRelease { return KeyValueObservation {} }
    return KeyValueObservation { [medium] in medium.state.withLock { $0.observers[id] = nil } }
  }

  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    medium.state.withLock { state in
      if !state.isDamaged && violation != .movesReadableContents || violation == .keepsDamage {
        return nil
      }
      state.isDamaged = false
      state.contents = KeyValueContents([], revision: state.contents.revision + 1)
      return "elsewhere"
    }
  }

  private static let damaged = KeyValueStoreError.unavailable("The medium is damaged.")
}

extension NonconformingBackend {
  private func nextCall() -> Int { calls.add(1, ordering: .relaxed).oldValue }

  private static let accessesPerRevision: Int64 = 1_000_000

  /// Returns contents with the revision of one access.
  private func numbered(_ contents: KeyValueContents) -> KeyValueContents {
    if !isUnusual { return contents }
    return contents.applying(
      KeyValueChanges(), revision: contents.revision * Self.accessesPerRevision + Int64(nextCall()))
  }

  /// Returns contents with another value, and with the same revision.
  private func changed(
    _ contents: KeyValueContents, _ key: String, to value: String
  ) -> KeyValueContents {
    var changes = KeyValueChanges()
    changes.set(key, to: ArraySlice(value.utf8))
    return contents.applying(changes, revision: contents.revision)
  }

  /// Returns changes with the alteration of the violation, if it has one.
  private func altered(_ changes: KeyValueChanges) -> KeyValueChanges {
    var all = changes.all
    switch violation {
    case .losesOneOfTwoKeys: if all.count > 1 { all.removeLast() }
    case .truncatesValues:
      all = all.map { ($0.key, $0.value.map { $0.count > 1000 ? ArraySlice("\"\"".utf8) : $0 }) }
    case .ignoresRemovals: all.removeAll { $0.value == nil }
    case .removesNeighbors: if all.contains(where: { $0.value == nil }) { all.append(("c", nil)) }
    case .normalizesKeys:
      all = all.map { ($0.key == "cafe\u{301}" ? "caf\u{e9}" : $0.key, $0.value) }
    default: return changes
    }
    var altered = KeyValueChanges()
    for (key, value) in all { altered.set(key, to: value) }
    return altered
  }

  /// Makes changes, and returns the new contents.
  private func commit(_ changes: KeyValueChanges) -> KeyValueContents {
    medium.state.withLock { state in
      let revision = violation == .reusesRevisions ? 1 : state.contents.revision + 1
      // Lost updates are simulated, because threads may happen to run one after the other.
      let isLost = violation == .losesConcurrentUpdates && nextCall() % 4 == 3
      var contents = state.contents
        .applying(isLost ? KeyValueChanges() : changes, revision: revision)
      if violation == .appliesUpdatesInReverse {
        contents = contents.applying(state.lastChanges, revision: revision)
      }
      state.previous = state.contents
      if violation == .writesAtNextCall { state.durable = state.contents }
      state.contents = contents
      state.lastChanges = changes
      if violation != .writesAtNextCall { state.durable = contents }
      state.isDamaged = false
      return contents
    }
  }
}

/// What the instances of a backend share.
private final class Medium: Sendable {
  struct State: Sendable {
    var contents: KeyValueContents
    /// The contents before the last change.
    var previous: KeyValueContents
    /// The contents that a crash leaves.
    var durable: KeyValueContents
    var lastChanges = KeyValueChanges()
    var isDamaged = false
    var hasLateNotification = false
    var observerCount = 0
    var observers: [Int: (owner: ObjectIdentifier?, handler: @Sendable () -> Void)] = [:]
  }

  let state: Lock<State>
  /// Held by the writer.
  let writing = RecursiveLock()

  init(_ contents: KeyValueContents = KeyValueContents([], revision: 0)) {
    state = Lock(State(contents: contents, previous: contents, durable: contents))
  }

  /// Calls the handlers, outside the lock, except those for the writes of another instance only.
  func notify(by writer: NonconformingBackend) {
    let observers = state.withLock { $0.observers.values }
    for (owner, handler) in observers where owner == nil || owner == ObjectIdentifier(writer) {
      handler()
    }
  }
}

import CLibrary
import Concurrency
import Synchronization

/// A watch that calls a handler after any process has changed the file at a path.
///
/// The watch ends when it is released. The directories of the file and of the symbolic links in its
/// path are watched for changes to those entries, and the other directories in the path for moves
/// and removals. The file itself is watched for writes under another name: that of a hard link, or
/// that outside of a mount of the file alone. While the kernel cannot watch one of them, the path
/// is polled instead.
package final class PathWatch: Sendable {
  private struct State: Sendable {
    var steps: [PathStep] = []
    var names: Set<Inotify.WatchedName> = []
    /// The file that was last found at the path; nil for none, or for one that cannot be read.
    var file: Inotify.WatchedName?
    /// The file's status at the last poll; nil if it was missing, or has not been polled.
    var polledStatus: FileStatus?
    /// Whether the file may have changed since the last poll without a change of its status.
    var mayHaveChanged = false
  }

  let path: String
  let fileSystem: FileSystem
  /// The inotify events that count as changes of the file or of a link in its path.
  let events: UInt32
  /// The event of these for a write.
  let writingEvent: UInt32
  private let handler: @Sendable () -> Void
  /// Held while the path is resolved.
  private let state = Lock(State())
  private let reason = Lock(SystemError?.none)
  /// Whether a directory may have been replaced since the last check; nil if no check is pending.
  private let pendingCheck = Lock(Bool?.none)
  private let isStopped = Atomic(false)
  private let queue = SerialQueue()

  /// Starts watching a path; neither the file nor its directories need to exist.
  ///
  /// The handler is called on a thread of the library; calls may overlap if no thread can be
  /// created. If `eachWrite` is true, each write counts as a change; otherwise, closing the file
  /// after writing does. Throws an error of `pthread_create` if no thread can be created.
  package init(
    path: String, eachWrite: Bool = false, in fileSystem: FileSystem = FileSystem(),
    handler: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    self.path = path
    self.fileSystem = fileSystem
    self.handler = handler
    writingEvent = UInt32(eachWrite ? IN_MODIFY : IN_CLOSE_WRITE)
    events =
      UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB) | writingEvent
    try state.withLock { state throws(SystemError) in try subscribe(&state) }
  }

  deinit {
    if Fork.isChild { return }
    let names = state.withLock { state in state.names.union([state.file].compactMap(\.self)) }
    Inotify.remove(ObjectIdentifier(self), from: names)
  }

  /// Stops calling the handler; a call in progress may still finish.
  package func stop() { isStopped.store(true, ordering: .releasing) }

  /// The reason why the path is polled; nil if it is not.
  package var problem: SystemError? { reason.withLock { $0 } }

  /// Schedules a check that resolves the path again and calls the handler.
  ///
  /// `isLost` is whether a directory may have been replaced.
  func recheck(isLost: Bool) {
    let isScheduled = pendingCheck.withLock { pending in
      defer { pending = isLost || pending ?? false }
      return pending != nil
    }
    if isScheduled { return }
    let job = queue.run(after: .zero) { [weak self] in self?.recheckNow() }
    if job == nil { recheckNow() }
  }

  private func recheckNow() {
    let isLost = pendingCheck.withLock { $0.take() } ?? false
    if isStopped.load(ordering: .acquiring) { return }
    state.withLock { state in
      let isComplete = !isLost && fileSystem.steps(of: path) == state.steps
      // Another file may be at the path.
      if !isComplete || (try? watchFile(&state)) == nil { trySubscribing(&state) }
    }
    handler()
  }

  /// Subscribes to events again if possible, and calls the handler if the file has changed.
  func poll() {
    let isChanged = state.withLock { state in
      trySubscribing(&state)
      let start = FileStatus.now
      let status = try? fileSystem.status(of: path, followingLink: true)
      defer {
        state.polledStatus = status
        // A second change within the same tick of the clock would not change the status.
        state.mayHaveChanged = status.map { $0.changed >= start } ?? false
      }
      return state.mayHaveChanged || status != state.polledStatus
    }
    if isChanged || problem == nil { recheck(isLost: false) }
  }

  private func trySubscribing(_ state: inout State) {
    // After a failure, `problem` remains set, so that the store checks the file at each access.
    try? subscribe(&state)
  }

  private func subscribe(_ state: inout State) throws(SystemError) {
    do throws(SystemError) {
      try watchSteps(&state)
      try watchFile(&state)
      reason.withLock { $0 = nil }
    } catch {
      // The next check resolves the path again.
      state.steps = []
      let isFirst = reason.withLock { reason in
        defer { reason = error }
        return reason == nil
      }
      // The first poll has no earlier status to compare with.
      if isFirst { state.mayHaveChanged = true }
      try PolledPaths.add(self)
    }
  }

  /// Watches all directories of the path; throws an error if the kernel cannot watch one of them.
  private func watchSteps(_ state: inout State) throws(SystemError) {
    try Inotify.open(for: self)
    var failure = SystemError(call: .inotify, path: path, code: EAGAIN)
    // Directories may be created and removed concurrently, so the watches may have to be repeated.
    for _ in 0..<100 {
      let steps = fileSystem.steps(of: path)
      let (names, newFailure) = watch(steps)
      Inotify.remove(ObjectIdentifier(self), from: state.names.subtracting(names))
      // If two resolutions in a row are equal, the watches are complete: the next read sees any
      // earlier change, and any later change causes an event.
      let isComplete = steps == state.steps && names == state.names
      (state.steps, state.names) = (steps, names)
      guard isComplete else { continue }
      guard let newFailure else { return }
      failure = newFailure
      if failure.code != ENOENT, failure.code != ENOTDIR { break }
    }
    throw failure
  }

  /// Watches the file at the path instead of an earlier one; throws an error if no watch is left.
  ///
  /// The handler is called afterwards and reads the file, so it sees any earlier write.
  private func watchFile(_ state: inout State) throws(SystemError) {
    let old = state.file
    state.file = nil
    defer {
      // After a restart, a directory may have the descriptor of the earlier file.
      if let old, old != state.file, !state.names.contains(old) {
        Inotify.remove(ObjectIdentifier(self), from: [old])
      }
    }
    do throws(SystemError) {
      state.file = try Inotify.addFile(of: self)
    } catch {
      // A file that is missing or cannot be read has nothing to report before its directory does.
      if error.code == ENOSPC || error.code == ENOMEM { throw error }
    }
  }

  private func watch(_ steps: [PathStep]) -> (Set<Inotify.WatchedName>, SystemError?) {
    var watched: Set<Inotify.WatchedName> = []
    var failure: SystemError?
    for step in steps {
      // The empty name stands for the directory itself.
      let names = [[]] + (step.name.map { [Array($0.utf8)] } ?? [])
      let mask = step.name == nil ? Inotify.ownEvents : Inotify.ownEvents | events
      do throws(SystemError) {
        watched.formUnion(try Inotify.add(self, step.directory, names, mask))
      } catch {
        // A directory without read permission cannot be watched. The next read detects its removal.
        if step.name == nil, error.code == EACCES { continue }
        failure = failure ?? SystemError(call: error.call, path: path, code: error.code)
      }
    }
    return (watched, failure)
  }
}

/// The paths that are polled, because the kernel cannot watch them.
package enum PolledPaths {
  private struct Member: Sendable {
    weak let watch: PathWatch?
  }

  package static let period = Duration.seconds(1)

  private static let queue = SerialQueue()
  private static let members = Lock([ObjectIdentifier: Member]())
  private static let hasMembers = Atomic(false)

  package static var isEmpty: Bool { !hasMembers.load(ordering: .acquiring) }

  static func add(_ watch: PathWatch) throws(SystemError) {
    try members.withLock { members throws(SystemError) in
      if members.isEmpty, !schedule() {
        throw SystemError(call: .thread, path: watch.path, code: EAGAIN)
      }
      members[ObjectIdentifier(watch)] = Member(watch: watch)
      hasMembers.store(true, ordering: .releasing)
    }
  }

  /// Schedules the next check; returns false if no thread can be created.
  private static func schedule() -> Bool { queue.run(after: period, poll) != nil }

  /// Checks all paths immediately, in addition to the periodic checks.
  package static func check() {
    for member in members.withLock({ Array($0.values) }) { member.watch?.poll() }
  }

  @Sendable private static func poll() {
    check()
    members.withLock { members in
      members = members.filter { $0.value.watch?.problem != nil }
      hasMembers.store(!members.isEmpty, ordering: .releasing)
      if !members.isEmpty { _ = schedule() }
    }
  }
}

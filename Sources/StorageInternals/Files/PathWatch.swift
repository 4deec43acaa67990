import CLibrary
import Concurrency
import Synchronization

/// A watch that calls a handler when a path may lead to other content, until it is released.
///
/// Changes by any process count. A directory that holds the file, or a symbolic link of the path,
/// is watched for that name; any other directory on the way, for being moved or removed. After each
/// change the path is resolved again.
///
/// If the kernel refuses to watch a directory, the path is polled until it no longer does.
package final class PathWatch: Sendable {
  private struct State: Sendable {
    /// The steps that were found last.
    var steps: [PathStep] = []
    var interests: Set<Inotify.Interest> = []
    /// The file when it was polled last; nil if it was missing, or may change unnoticed.
    var seen: FileStatus?
  }

  let path: String
  let fileSystem: FileSystem
  /// The relevant events of the file and of symbolic links.
  let events: UInt32
  private let handler: @Sendable () -> Void
  /// Held while the path is followed.
  private let state = Lock(State(), inForkedChild: { State() })
  /// The reason why the path is polled; nil if it is not.
  private let reason = Lock(SystemError?.none, inForkedChild: { nil })
  /// Whether a directory may have been replaced since the last look; nil if no look is due.
  private let due = Lock(Bool?.none, inForkedChild: { nil })
  private let isOver = Atomic(false)
  /// The thread of the handler, which exists only around its calls.
  private let thread = SerialThread()

  /// Begins to watch; neither the file nor its directories need exist.
  ///
  /// The handler runs on a thread of the watch, and sees every change made before its call. It is
  /// also called if the path can no longer be followed.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - eachWrite: Whether a file changes at each write, or when it is closed after writing.
  ///   - fileSystem: Makes the system calls.
  ///   - handler: Called after changes.
  /// - Throws: The failure to create a thread, as in a forked child.
  package init(
    path: String, eachWrite: Bool = false, in fileSystem: FileSystem = FileSystem(),
    handler: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    self.path = path
    self.fileSystem = fileSystem
    self.handler = handler
    let writing = eachWrite ? IN_MODIFY : IN_CLOSE_WRITE
    events = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | writing)
    if Fork.isChild { throw SystemError(call: .thread, path: path, code: ENOTSUP) }
    try state.withLock { state throws(SystemError) in try follow(&state) }
  }

  deinit {
    if Fork.isChild { return }
    Inotify.remove(ObjectIdentifier(self), from: state.withLock { $0.interests })
  }

  /// Ends the calls of the handler; one may be running.
  package func stop() {
    isOver.store(true, ordering: .releasing)
  }

  /// The reason why the path is polled; nil if changes are noticed at once.
  package var problem: SystemError? { reason.withLock { $0 } }

  /// Resolves the path again and calls the handler, on the thread of this watch.
  ///
  /// - Parameter isLost: Whether a directory of the path may have been replaced.
  func look(isLost: Bool) {
    let isScheduled = due.withLock { due in
      defer { due = isLost || due ?? false }
      return due != nil
    }
    if isScheduled { return }
    let job = thread.run(after: .zero) { [weak self] in self?.lookNow() }
    if job == nil { lookNow() }
  }

  private func lookNow() {
    let isLost = due.withLock { $0.take() } ?? false
    if isOver.load(ordering: .acquiring) { return }
    state.withLock { state in
      if isLost || fileSystem.walk(path).steps != state.steps { followIfPossible(&state) }
    }
    handler()
  }

  /// Watches the path again if possible, and calls the handler if the file has changed.
  fileprivate func poll() {
    let isChanged = state.withLock { state in
      followIfPossible(&state)
      let start = FileStatus.now
      let status: FileStatus?
      do throws(SystemError) {
        status = try fileSystem.status(of: path, followingLink: true)
      } catch {
        status = nil
      }
      // Within a tick of the clock, a later change does not change the status.
      defer { state.seen = status.flatMap { $0.changed < start ? $0 : nil } }
      return status != state.seen
    }
    if isChanged || problem == nil { look(isLost: false) }
  }
}

extension PathWatch {
  private func followIfPossible(_ state: inout State) {
    do throws(SystemError) {
      try follow(&state)
    } catch {
      // `problem` stays, so that the store checks the file at each access.
    }
  }

  /// Watches the directories of the path, or begins to poll it.
  private func follow(_ state: inout State) throws(SystemError) {
    do throws(SystemError) {
      try watchSteps(&state)
      reason.withLock { $0 = nil }
    } catch {
      // The next look follows the path again.
      state.steps = []
      reason.withLock { $0 = error }
      try PolledPaths.add(self)
    }
  }

  private func watchSteps(_ state: inout State) throws(SystemError) {
    try Inotify.open(for: self)
    var failure = SystemError(call: .inotify, path: path, code: EAGAIN)
    // Directories may be created and removed concurrently.
    for _ in 0..<100 {
      let steps = fileSystem.walk(path).steps
      let (interests, newFailure) = watch(steps)
      Inotify.remove(ObjectIdentifier(self), from: state.interests.subtracting(interests))
      // Two equal walks prove that the watches are complete: an earlier change is seen by the next
      // read, and a later one causes an event.
      let isComplete = steps == state.steps && interests == state.interests
      (state.steps, state.interests) = (steps, interests)
      guard isComplete else { continue }
      guard let newFailure else { return }
      failure = newFailure
      if failure.code != ENOENT, failure.code != ENOTDIR { break }
    }
    throw failure
  }

  /// Watches the directories of steps, and returns the first failure.
  private func watch(_ steps: [PathStep]) -> (Set<Inotify.Interest>, SystemError?) {
    var interests: Set<Inotify.Interest> = []
    var failure: SystemError?
    for step in steps {
      // The empty name is the directory itself.
      let names = [[]] + (step.name.map { [Array($0.utf8)] } ?? [])
      let wanted = step.name == nil ? Inotify.ownEvents : Inotify.ownEvents | events
      do throws(SystemError) {
        let number = try Inotify.add(self, step.directory, names, wanted)
        interests.formUnion(names.map { Inotify.Interest(directory: number, name: $0) })
      } catch {
        // A directory without read permission cannot be watched; the next read detects that it was
        // moved.
        if step.name == nil, error.code == EACCES { continue }
        failure = failure ?? error
      }
    }
    return (interests, failure)
  }
}

/// The watches whose paths are polled, all by one thread.
package enum PolledPaths {
  private struct Member: Sendable {
    weak let watch: PathWatch?
  }

  /// The time between two looks at a path.
  package static let period = Duration.seconds(1)

  private static let thread = SerialThread(named: "locket-poll")
  private static let members = Lock([ObjectIdentifier: Member](), inForkedChild: { [:] })
  private static let isUsed = Atomic(false)

  /// Whether no path of the process is polled.
  package static var isEmpty: Bool { !isUsed.load(ordering: .acquiring) }

  /// Begins to poll the path of a watch, until it has no problem.
  static func add(_ watch: PathWatch) throws(SystemError) {
    try members.withLock { members throws(SystemError) in
      if members.isEmpty, !schedule() {
        throw SystemError(call: .thread, path: watch.path, code: EAGAIN)
      }
      members[ObjectIdentifier(watch)] = Member(watch: watch)
      isUsed.store(true, ordering: .releasing)
    }
  }

  private static func schedule() -> Bool { thread.run(after: period, poll) != nil }

  @Sendable private static func poll() {
    for member in members.withLock({ Array($0.values) }) { member.watch?.poll() }
    members.withLock { members in
      members = members.filter { $0.value.watch?.problem != nil }
      isUsed.store(!members.isEmpty, ordering: .releasing)
      if !members.isEmpty { _ = schedule() }
    }
  }
}

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Calls a handler whenever a path may have come to lead to other content, by whatever process,
/// until it is released.
///
/// Every directory on the way is watched: those with symbolic links in them and the file's own for
/// these names, the others for being moved or removed themselves. After each change the way is gone
/// again. What is only being written is no change yet; closing the file is.
package final class PathWatch: Sendable {
  private let inotify: Inotify

  /// Begins to watch; neither the file nor its directories need be there.
  ///
  /// The handler runs on a thread of its own, and sees what happened before it was called. It is
  /// also called where a path that led somewhere can no longer be followed, or watched.
  package init(
    path: String, in fileSystem: FileSystem = FileSystem(), handler: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    inotify = try Inotify(for: path, in: fileSystem)
    let watches = Lock(PathWatches(path, inotify, fileSystem))
    try watches.withLock { watches throws(SystemError) in try watches.follow() }
    try inotify.start { events in
      if watches.withLock({ $0.takeNote(of: events) }) { handler() }
    }
  }

  deinit {
    inotify.stop()
  }
}

/// The directories that are watched for a path.
private struct PathWatches {
  private let path: String
  private let inotify: Inotify
  private let fileSystem: FileSystem
  /// The way that was found last.
  private var steps: [PathStep] = []
  /// By watch, the names that matter.
  private var names: [Int32: [[UInt8]]] = [:]

  private static let ownEvents = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
  private static let nameEvents = UInt32(
    IN_CREATE | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB)
  private static let endEvents = ownEvents | UInt32(IN_IGNORED | IN_UNMOUNT)
  /// What means that a watch may be of another directory than the path leads to by now.
  ///
  /// The last notice of a directory that somebody has open may be that a name was taken from it:
  /// then it can be removed, and another one made.
  private static let lossEvents = endEvents | UInt32(IN_DELETE | IN_MOVED_FROM)

  init(_ path: String, _ inotify: Inotify, _ fileSystem: FileSystem) {
    self.path = path
    self.inotify = inotify
    self.fileSystem = fileSystem
  }

  /// Whether events concern the path; then it is watched as it leads now.
  mutating func takeNote(of events: [Inotify.Event]) -> Bool {
    let concerning = events.filter { event in
      if event.isOverflow { return true }
      guard let names = names[event.watch] else { return false }
      return event.mask & Self.endEvents != 0 || names.contains(event.name)
    }
    if concerning.isEmpty { return false }
    let isLost = concerning.contains { $0.isOverflow || $0.mask & Self.lossEvents != 0 }
    if !isLost, fileSystem.walk(path).steps == steps { return true }
    do throws(SystemError) {
      try follow()
    } catch {
      // What could be watched is, and the handler learns by reading why the rest cannot be.
    }
    return true
  }

  /// Watches the path as it leads now.
  mutating func follow() throws(SystemError) {
    var attempts = 0
    while true {
      let previous = (steps: steps, names: names)
      let failure = watch(fileSystem.walk(path).steps)
      attempts += 1
      // Found twice, it was all there when the last of it was watched: what was changed before
      // shows, and what is changed later is reported.
      guard steps == previous.steps, names == previous.names else { continue }
      guard let failure else { return }
      // Directories may come and go for a while.
      let isMissing = failure.code == ENOENT || failure.code == ENOTDIR
      if isMissing, attempts < 100 { continue }
      steps = []
      throw failure
    }
  }

  /// Watches what decides about the path, and returns the first failure.
  private mutating func watch(_ found: [PathStep]) -> SystemError? {
    var current: [Int32: [[UInt8]]] = [:]
    var failure: SystemError?
    for step in found {
      let events = step.name == nil ? Self.ownEvents : Self.ownEvents | Self.nameEvents
      do throws(SystemError) {
        let watch = try inotify.add(
          step.directory, events | UInt32(IN_ONLYDIR | IN_DONT_FOLLOW))
        current[watch, default: []] += step.name.map { [Array($0.utf8)] } ?? []
      } catch {
        // A directory that may be passed but not read cannot be watched; that it is moved is
        // noticed at the next reading.
        if step.name == nil, error.code == EACCES { continue }
        failure = failure ?? error
      }
    }
    for watch in names.keys where current[watch] == nil { inotify.remove(watch) }
    names = current
    steps = found
    return failure
  }
}

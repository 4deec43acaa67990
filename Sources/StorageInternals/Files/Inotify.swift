import CLibrary
import Concurrency

/// The kernel's reports of events in directories, for all watches of the process.
///
/// One instance and one thread serve them, because a user has 128 instances by default. They are
/// made for the first watch and stay until the process ends.
package enum Inotify {
  /// A name in a directory whose events a watch receives; the empty name is the directory itself.
  struct Interest: Hashable, Sendable {
    /// The kernel's number of the directory, the same for all watches.
    let directory: Int32
    let name: [UInt8]
  }

  private struct Recipient: Sendable {
    weak let watch: PathWatch?
    let events: UInt32
  }

  private struct Event {
    let subject: Interest
    let mask: UInt32
    /// Whether events were lost, of any directory.
    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
  }

  private struct State: Sendable {
    var descriptor: Int32?
    var recipients: [Interest: [ObjectIdentifier: Recipient]] = [:]
    /// The number of recipients of each directory's events.
    var counts: [Int32: Int] = [:]
    /// The number of directories that were watched and are not any more.
    var removals = 0

    mutating func add(_ watch: PathWatch, _ interest: Interest) {
      let recipient = Recipient(watch: watch, events: watch.events)
      let known = recipients[interest, default: [:]]
        .updateValue(recipient, forKey: ObjectIdentifier(watch))
      if known == nil { counts[interest.directory, default: 0] += 1 }
    }
  }

  // Paths are resolved without the lock: a file system that hangs stops only its own watches.
  private static let state = Lock(State(), inForkedChild: { State() })

  /// Events of a directory after which another one may be at its path.
  static let ownEvents = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
  private static let endEvents = ownEvents | UInt32(IN_IGNORED | IN_UNMOUNT)
  /// Events after which a watch may be of another directory than the one on the path.
  ///
  /// For a directory that a process has open, the last event may be the removal of a name. After
  /// that the directory can be removed, and another one created.
  private static let lossEvents = endEvents | UInt32(IN_DELETE | IN_MOVED_FROM)

  /// Returns the instance, made with its thread at the first call.
  @discardableResult
  static func open(for watch: PathWatch) throws(SystemError) -> Int32 {
    try state.withLock { state throws(SystemError) in
      let instance = try watch.fileSystem.check(.inotify, watch.path) {
        state.descriptor ?? inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
      }
      if instance == state.descriptor { return instance }
      let code = DetachedThread.start(named: "locket-inotify") {
        while let events = wait(for: instance) { report(events) }
        restart()
      }
      if code != 0 {
        close(instance)
        throw SystemError(call: .thread, path: watch.path, code: code)
      }
      state.descriptor = instance
      return instance
    }
  }

  /// The reason why there is no instance and none can be made; nil if there is none.
  package static var problem: SystemError? {
    state.withLock { state in
      if state.descriptor != nil { return nil }
      let trial = inotify_init1(Int32(IN_CLOEXEC))
      if trial == -1 { return SystemError(call: .inotify, path: "this process", code: errno) }
      close(trial)
      return nil
    }
  }

  /// Reports events of names in a directory to a watch, and returns the directory's number.
  static func add(
    _ watch: PathWatch, _ directory: String, _ names: [[UInt8]], _ events: UInt32
  ) throws(SystemError) -> Int32 {
    let flags = UInt32(IN_ONLYDIR | IN_DONT_FOLLOW | IN_MASK_ADD)
    while true {
      let instance = try open(for: watch)
      let removals = state.withLock { $0.removals }
      let number: Int32
      do {
        number = try watch.fileSystem.check(.inotify, at: directory) {
          unsafe inotify_add_watch(instance, directory, events | flags)
        }
      } catch {
        throw SystemError(call: .inotify, path: watch.path, code: error.code)
      }
      let isAdded = state.withLock { state in
        // Otherwise the number may be that of a directory that is not watched any more.
        guard state.removals == removals else { return false }
        for name in names { state.add(watch, Interest(directory: number, name: name)) }
        return true
      }
      if isAdded { return number }
    }
  }

  /// Ends reports to a watch; a directory without recipients is not watched any more.
  static func remove(_ watch: ObjectIdentifier, from interests: some Sequence<Interest>) {
    state.withLock { state in
      for interest in interests {
        guard state.recipients[interest]?.removeValue(forKey: watch) != nil else { continue }
        if state.recipients[interest]?.isEmpty ?? false { state.recipients[interest] = nil }
        let count = (state.counts[interest.directory] ?? 1) - 1
        state.counts[interest.directory] = count == 0 ? nil : count
        guard count == 0, let instance = state.descriptor else { continue }
        // Fails if the directory was removed, which also ended its watch.
        inotify_rm_watch(instance, interest.directory)
        state.removals += 1
      }
    }
  }

  /// Restarts all watches with a new instance.
  private static func restart() {
    let lost = state.withLock { state in
      defer { state = State(removals: state.removals + 1) }
      return state.recipients.values.flatMap { $0.values.compactMap(\.watch) }
    }
    for watch in lost { watch.look(isLost: true) }
  }

  /// Makes the affected watches resolve their paths again.
  private static func report(_ events: [Event]) {
    let concerned = state.withLock { state in
      var found: [ObjectIdentifier: (watch: PathWatch, isLost: Bool)] = [:]
      for event in events {
        if event.mask & UInt32(IN_IGNORED) != 0 { state.removals += 1 }
        let isLost = event.isOverflow || event.mask & lossEvents != 0
        let subjects = event.isOverflow ? Array(state.recipients.keys) : [event.subject]
        for (key, recipient) in subjects.flatMap({ state.recipients[$0] ?? [:] }) {
          let relevant = event.subject.name.isEmpty ? endEvents : recipient.events
          guard event.isOverflow || event.mask & relevant != 0, let watch = recipient.watch
          else { continue }
          found[key] = (watch, isLost || found[key]?.isLost ?? false)
        }
      }
      return Array(found.values)
    }
    for (watch, isLost) in concerned { watch.look(isLost: isLost) }
  }

  /// Waits for events, and reads all that are pending; nil if the instance was closed by the app.
  private static func wait(for instance: Int32) -> [Event]? {
    var descriptors = pollfd(fd: instance, events: Int16(POLLIN), revents: 0)
    // The structure lives until the call returns.
    while unsafe poll(&descriptors, 1, -1) == -1, errno == EINTR {}
    if descriptors.revents & Int16(POLLIN) == 0 { return nil }
    var events: [Event] = []
    unsafe withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
      while true {
        let count = unsafe read(instance, buffer.baseAddress!, buffer.count)
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          offset += MemoryLayout<inotify_event>.size
          let name = unsafe buffer[offset..<min(offset + Int(event.len), count)].prefix { $0 != 0 }
          let subject = Interest(directory: event.wd, name: unsafe Array(name))
          events.append(Event(subject: subject, mask: event.mask))
          offset += Int(event.len)
        }
        if count <= 0 { return }
      }
    }
    return events
  }
}

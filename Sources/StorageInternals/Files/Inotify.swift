import CLibrary
import Concurrency

/// The inotify instance of the process, which reports events in directories to path watches.
///
/// All watches share it and its thread, because the default limit is 128 instances per user. Both
/// are created for the first watch, and exist until the process ends.
package enum Inotify {
  /// A name in a directory whose events are watched; the empty name is the directory itself.
  struct WatchedName: Hashable, Sendable {
    /// The watch descriptor of the directory, which all of its watches share.
    let directory: Int32
    let name: [UInt8]
  }

  private struct Subscription: Sendable {
    weak let watch: PathWatch?
    let events: UInt32
  }

  private struct Event {
    let name: WatchedName
    let mask: UInt32
    /// Whether events of any directory were lost.
    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
  }

  private struct State: Sendable {
    var descriptor: Int32?
    var subscriptions: [WatchedName: [ObjectIdentifier: Subscription]] = [:]
    /// The number of subscriptions for each directory.
    var counts: [Int32: Int] = [:]
    /// A number that changes whenever the kernel stops watching a directory.
    var generation = 0

    mutating func add(_ watch: PathWatch, _ name: WatchedName) {
      let subscription = Subscription(watch: watch, events: watch.events)
      let previous = subscriptions[name, default: [:]]
        .updateValue(subscription, forKey: ObjectIdentifier(watch))
      if previous == nil { counts[name.directory, default: 0] += 1 }
    }
  }

  // Not held during the resolution of paths, which an unresponsive file system blocks.
  private static let state = Lock(State())

  private static let thread = Lock(ThreadIdentity?.none)
  /// Whether the calling thread is that of the instance.
  package static var isCurrent: Bool { thread.withLock { $0 == .current } }

  /// The events after which a different directory may be at a directory's path.
  static let ownEvents = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
  private static let endEvents = ownEvents | UInt32(IN_IGNORED | IN_UNMOUNT)
  /// The events after which the watched directory may no longer be the one at its path: the removal
  /// of a name may be the last event for a directory that a process has open.
  private static let lossEvents = endEvents | UInt32(IN_DELETE | IN_MOVED_FROM)

  @discardableResult
  static func open(for watch: PathWatch) throws(SystemError) -> Int32 {
    try state.withLock { state throws(SystemError) in
      let instance = try watch.fileSystem.check(.inotify, watch.path) {
        state.descriptor ?? inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
      }
      if instance == state.descriptor { return instance }
      let code = DetachedThread.start(named: "locket-inotify") {
        thread.withLock { $0 = .current }
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

  /// The reason why inotify cannot be used.
  package static var problem: SystemError? {
    state.withLock { state in
      if state.descriptor != nil { return nil }
      let instance = inotify_init1(Int32(IN_CLOEXEC))
      if instance == -1 { return SystemError(call: .inotify, path: "this process", code: errno) }
      close(instance)
      return nil
    }
  }

  /// Subscribes a watch to events of names in a directory.
  static func add(
    _ watch: PathWatch, _ directory: String, _ names: [[UInt8]], _ events: UInt32
  ) throws(SystemError) -> [WatchedName] {
    let flags = UInt32(IN_ONLYDIR | IN_DONT_FOLLOW | IN_MASK_ADD)
    while true {
      let instance = try open(for: watch)
      let generation = state.withLock { $0.generation }
      let descriptor: Int32
      do {
        descriptor = try watch.fileSystem.check(.inotify, at: directory) {
          unsafe inotify_add_watch(instance, directory, events | flags)
        }
      } catch {
        throw SystemError(call: .inotify, path: watch.path, code: error.code)
      }
      let watched = names.map { WatchedName(directory: descriptor, name: $0) }
      let isAdded = state.withLock { state in
        // Otherwise the descriptor may be that of a directory that is no longer watched.
        guard state.generation == generation else { return false }
        for name in watched { state.add(watch, name) }
        return true
      }
      if isAdded { return watched }
    }
  }

  static func remove(_ watch: ObjectIdentifier, from names: some Sequence<WatchedName>) {
    state.withLock { state in
      for name in names where state.subscriptions[name]?.removeValue(forKey: watch) != nil {
        if state.subscriptions[name]?.isEmpty ?? false { state.subscriptions[name] = nil }
        let count = (state.counts[name.directory] ?? 1) - 1
        state.counts[name.directory] = count == 0 ? nil : count
        guard count == 0, let instance = state.descriptor else { continue }
        // This fails if the directory was removed, which also ended its watch.
        inotify_rm_watch(instance, name.directory)
        state.generation += 1
      }
    }
  }

  /// Discards the instance, and makes all watches subscribe again to a new one.
  private static func restart() {
    let lost = state.withLock { state in
      defer { state = State(generation: state.generation + 1) }
      return state.subscriptions.values.flatMap { $0.values.compactMap(\.watch) }
    }
    for watch in lost { watch.recheck(isLost: true) }
  }

  /// Makes the watches with subscriptions to events resolve their paths again.
  private static func report(_ events: [Event]) {
    let affected = state.withLock { state in
      var found: [ObjectIdentifier: (watch: PathWatch, isLost: Bool)] = [:]
      for event in events {
        if event.mask & UInt32(IN_IGNORED) != 0 { state.generation += 1 }
        let isLost = event.isOverflow || event.mask & lossEvents != 0
        let names = event.isOverflow ? Array(state.subscriptions.keys) : [event.name]
        for (key, subscription) in names.flatMap({ state.subscriptions[$0] ?? [:] }) {
          let relevant = event.name.name.isEmpty ? endEvents : subscription.events
          guard event.isOverflow || event.mask & relevant != 0, let watch = subscription.watch
          else { continue }
          found[key] = (watch, isLost || found[key]?.isLost ?? false)
        }
      }
      return Array(found.values)
    }
    for (watch, isLost) in affected { watch.recheck(isLost: isLost) }
  }

  /// Waits for events and returns all pending ones; returns nil if the app closed the descriptor,
  /// whose number may already be that of a file.
  private static func wait(for instance: Int32) -> [Event]? {
    var descriptors = pollfd(fd: instance, events: Int16(POLLIN), revents: 0)
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
          let watched = WatchedName(directory: event.wd, name: unsafe Array(name))
          events.append(Event(name: watched, mask: event.mask))
          offset += Int(event.len)
        }
        if count <= 0 { return }
      }
    }
    return events
  }
}

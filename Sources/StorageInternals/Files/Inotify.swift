import CLibrary
import Concurrency

/// The inotify instance of the process, which reports events in directories, and of files
/// themselves, to path watches.
///
/// All watches share it and its thread, because the default limit is 128 instances per user. Both
/// are created for the first watch, and exist until the process ends or the app closes the
/// descriptor; then new ones replace them.
package enum Inotify {
  /// A name in a directory whose events are watched; the empty name is the directory or file
  /// itself.
  struct WatchedName: Hashable, Sendable {
    /// The watch descriptor of the directory or file, which all of its watches share.
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
    /// The number of subscriptions for each directory, by its watch descriptor.
    var counts: [Int32: Int] = [:]
    /// A number that changes whenever the kernel stops watching a directory.
    var generation = 0

    mutating func add(_ watch: PathWatch, _ name: WatchedName, _ events: UInt32) {
      let subscription = Subscription(watch: watch, events: events)
      let previous = subscriptions[name, default: [:]]
        .updateValue(subscription, forKey: ObjectIdentifier(watch))
      if previous == nil { counts[name.directory, default: 0] += 1 }
    }
  }

  // Paths are resolved without the lock: an unresponsive file system would block all watches.
  private static let state = Lock(State())

  private static let thread = Lock(ThreadIdentity?.none)
  /// Whether the calling thread is that of the instance.
  package static var isCurrent: Bool { thread.withLock { $0 == .current } }

  /// The events after which a different directory may be at a directory's path.
  static let ownEvents = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
  /// The events of a directory itself that each of its watches must check.
  private static let endEvents = ownEvents | UInt32(IN_IGNORED | IN_UNMOUNT)
  /// The events after which the watched directory may no longer be the one at its path: the removal
  /// of a name may be the last event for a directory that a process has open.
  private static let lossEvents = endEvents | UInt32(IN_DELETE | IN_MOVED_FROM)

  /// Returns the descriptor of the instance; creates the instance and its thread if necessary.
  @discardableResult
  static func open(for watch: PathWatch) throws(SystemError) -> Int32 {
    try state.withLock { state throws(SystemError) in
      let instance = try watch.fileSystem.check(.inotify, watch.path) {
        state.descriptor ?? inotify_init1(Int32(IN_CLOEXEC))
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

  /// The reason why inotify cannot be used; nil if it can.
  package static var problem: SystemError? {
    state.withLock { state in
      if state.descriptor != nil { return nil }
      let instance = inotify_init1(Int32(IN_CLOEXEC))
      if instance == -1 { return SystemError(call: .inotify, path: "this process", code: errno) }
      close(instance)
      return nil
    }
  }

  /// Subscribes a watch to events of names in a directory, and returns the watched names.
  static func add(
    _ watch: PathWatch, _ directory: String, _ names: [[UInt8]], _ events: UInt32
  ) throws(SystemError) -> [WatchedName] {
    let names = names.map { (name: $0, events: $0.isEmpty ? endEvents : watch.events) }
    return try add(watch, directory, events | UInt32(IN_ONLYDIR | IN_DONT_FOLLOW), names)
  }

  /// Subscribes a watch to events of the file at its path, under any name of the file.
  ///
  /// Its removal is an event of its directory.
  static func addFile(of watch: PathWatch) throws(SystemError) -> WatchedName {
    try add(watch, watch.path, watch.writingEvent, [([], watch.writingEvent)])[0]
  }

  private static func add(
    _ watch: PathWatch, _ path: String, _ mask: UInt32, _ names: [(name: [UInt8], events: UInt32)]
  ) throws(SystemError) -> [WatchedName] {
    while true {
      let instance = try open(for: watch)
      let generation = state.withLock { $0.generation }
      // `IN_MASK_ADD` keeps the events of the other watches of the directory or file.
      let descriptor = try watch.fileSystem.check(.inotify, at: path) {
        unsafe inotify_add_watch(instance, path, mask | UInt32(IN_MASK_ADD))
      }
      let watched = names.map { WatchedName(directory: descriptor, name: $0.name) }
      let isAdded = state.withLock { state in
        // In another generation, the descriptor may be that of a directory no longer watched.
        guard state.generation == generation else { return false }
        for (name, (_, events)) in zip(watched, names) { state.add(watch, name, events) }
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
          guard event.isOverflow || event.mask & subscription.events != 0,
            let watch = subscription.watch
          else { continue }
          found[key] = (watch, isLost || found[key]?.isLost ?? false)
        }
      }
      return Array(found.values)
    }
    for (watch, isLost) in affected { watch.recheck(isLost: isLost) }
  }

  /// Waits for events; nil if the app closed the descriptor, whose number a file may have by now.
  private static func wait(for instance: Int32) -> [Event]? {
    unsafe withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
      let count = try? FileSystem().check(.read, "inotify") {
        unsafe read(instance, buffer.baseAddress!, buffer.count)
      }
      guard let count, count > 0 else { return nil }
      var events: [Event] = []
      var offset = 0
      while offset + MemoryLayout<inotify_event>.size <= count {
        let event = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        offset += MemoryLayout<inotify_event>.size
        let name = unsafe buffer[offset..<min(offset + Int(event.len), count)].prefix { $0 != 0 }
        let watched = WatchedName(directory: event.wd, name: unsafe Array(name))
        events.append(Event(name: watched, mask: event.mask))
        offset += Int(event.len)
      }
      return events
    }
  }
}

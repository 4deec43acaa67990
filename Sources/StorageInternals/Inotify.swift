import Concurrency
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The kernel's reports of what happens in directories.
final class Inotify: Sendable {
  /// What happened to a name in a directory, or to the directory itself.
  struct Event {
    /// Which watch reports it.
    let watch: Int32
    /// The bits of what happened.
    let mask: UInt32
    /// The bytes of the name; none for the directory itself.
    let name: [UInt8]

    /// Whether events were lost, of whatever watch.
    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
  }

  private let descriptor: Int32
  private let path: String
  private let fileSystem: FileSystem
  private let isOver = Atomic(false)

  /// Watches nothing yet; the path is the one that errors speak of.
  init(for path: String, in fileSystem: FileSystem = FileSystem()) throws(SystemError) {
    descriptor = try fileSystem.check(.inotify, path) {
      inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    }
    self.path = path
    self.fileSystem = fileSystem
  }

  deinit {
    close(descriptor)
  }

  /// Watches a directory; a second time it is the same watch, with the bits of both.
  func add(_ directory: String, _ mask: UInt32) throws(SystemError) -> Int32 {
    do {
      return try fileSystem.check(.inotify, at: directory) {
        unsafe inotify_add_watch(descriptor, directory, mask | UInt32(IN_MASK_ADD))
      }
    } catch {
      throw SystemError(call: .inotify, path: path, code: error.code)
    }
  }

  func remove(_ watch: Int32) {
    // Fails when the directory is gone, and the watch with it.
    inotify_rm_watch(descriptor, watch)
  }

  /// Calls a handler with events on a thread of its own, until `stop()`.
  ///
  /// Not a dispatch source: where no thread can be made, Dispatch waits for one in the thread that
  /// activates or cancels a source.
  func start(_ handler: @escaping @Sendable ([Event]) -> Void) throws(SystemError) {
    // The thread keeps the descriptor open that it reads.
    let code = DetachedThread.start {
      while self.wait() { handler(self.drain()) }
    }
    if code != 0 { throw SystemError(call: .thread, path: path, code: code) }
  }

  /// Ends the thread, which may be calling the handler just now.
  func stop() {
    // A child shares the events with its parent, and does not have the thread.
    if Fork.isChild { return }
    isOver.store(true, ordering: .releasing)
    // Removing a watch is an event, which wakes the thread.
    let watch = unsafe inotify_add_watch(descriptor, "/", UInt32(IN_DELETE_SELF))
    inotify_rm_watch(descriptor, watch)
  }

  /// Waits for events; returns false when there is nothing more to wait for.
  private func wait() -> Bool {
    var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // The structure lives until the call returns.
    while unsafe poll(&descriptors, 1, -1) == -1, errno == EINTR {}
    return !isOver.load(ordering: .acquiring) && !Fork.isChild
  }

  /// Takes all pending events.
  private func drain() -> [Event] {
    var events: [Event] = []
    unsafe withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
      while true {
        let count = unsafe read(descriptor, buffer.baseAddress!, buffer.count)
        if count <= 0 { return }
        var offset = 0
        while offset < count {
          let event = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          offset += MemoryLayout<inotify_event>.size
          let name = unsafe buffer[offset..<(offset + Int(event.len))].prefix { $0 != 0 }
          unsafe events.append(Event(watch: event.wd, mask: event.mask, name: Array(name)))
          offset += Int(event.len)
        }
      }
    }
    return events
  }
}

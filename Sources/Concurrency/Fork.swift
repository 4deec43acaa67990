import CLibrary
import Synchronization

/// Detection of forked children, in which this library does not work.
///
/// `fork` copies only the calling thread. The other threads never finish their work in the child:
/// mutexes that they hold stay locked, and values that they are changing stay inconsistent. So each
/// module checks `isChild` where it is entered, and no lock can be acquired in a child.
public enum Fork: Sendable {
  /// The number of forks between the process that first used this library and this process.
  ///
  /// `nonisolated(unsafe)`: written only in a child that does not have a second thread yet.
  @usableFromInline package nonisolated(unsafe) static let current: UnsafeMutablePointer<Int> = {
    // The memory is never deallocated.
    let address = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe address.initialize(to: 0)
    return unsafe address
  }()

  /// Whether this process was forked from one that had used this library.
  @inlinable public static var isChild: Bool { unsafe current.pointee != 0 }

  /// Whether this library has a file open under each descriptor.
  ///
  /// A forked child closes these files, because it would share their locks. The elements are
  /// atomic, so that opening a file requires no lock, which each fork would have to acquire. The
  /// kernel provides only the pages that are used; they are never deallocated.
  private nonisolated(unsafe) static let openFiles: UnsafeMutablePointer<Atomic<Bool>> = {
    let size = descriptorLimit * MemoryLayout<Atomic<Bool>>.stride
    guard let memory = unsafe calloc(size, 1) else {
      fatalError("There is no memory for a list of open files.")
    }
    return unsafe memory.bindMemory(to: Atomic<Bool>.self, capacity: descriptorLimit)
  }()
  /// The number of descriptors that Linux permits by default (`fs.nr_open`).
  private static let descriptorLimit = 1 << 20
  private static let highestDescriptor = Atomic(0)
  /// The number of forks by this process in the upper half, and of those in progress in the lower.
  private static let forks = Atomic(0)

  private static let registration: Void = {
    // These values must be initialized before the handlers that use them are registered.
    _ = unsafe current
    _ = unsafe openFiles
    _ = highestDescriptor.load(ordering: .relaxed) + forks.load(ordering: .relaxed)
    let code = pthread_atfork(
      { Fork.forks.add(1 << 32 + 1, ordering: .sequentiallyConsistent) },
      { Fork.forks.subtract(1, ordering: .sequentiallyConsistent) },
      {
        unsafe Fork.current.pointee += 1
        Fork.forks.store(0, ordering: .relaxed)
        for descriptor in 0...Fork.highestDescriptor.load(ordering: .relaxed) {
          let isOpen = unsafe Fork.openFiles[descriptor].exchange(false, ordering: .relaxed)
          if isOpen { close(Int32(descriptor)) }
        }
      })
    if code != 0 { fatalError("The C library could not register a fork handler (error \(code)).") }
  }()

  /// Registers the fork handlers; each lock calls this when it is created.
  package static func registerHandlers() { _ = registration }

  /// Calls `open` and returns its descriptor, or -1 with the error number in `errno`.
  ///
  /// `flags` are the flags of the call. The call may take any time, so it must not delay a fork. If
  /// a child was forked meanwhile, the file is closed and opened again, unless it is new.
  package static func openFile(_ flags: Int32, _ open: () -> Int32) -> Int32 {
    _ = registration
    while true {
      let before = forks.load(ordering: .sequentiallyConsistent)
      let descriptor = open()
      if descriptor == -1 { return -1 }
      if descriptor < descriptorLimit {
        _ = highestDescriptor.max(Int(descriptor), ordering: .sequentiallyConsistent)
        unsafe openFiles[Int(descriptor)].store(true, ordering: .sequentiallyConsistent)
      }
      // A child forked meanwhile has the file open. A new file, opened once, is not locked.
      let isUnshared =
        Int32(truncatingIfNeeded: before) == 0
        && forks.load(ordering: .sequentiallyConsistent) == before
      if isUnshared || flags & O_EXCL != 0 { return descriptor }
      closeFile(descriptor)
      sched_yield()
    }
  }

  /// Closes a descriptor of `openFile`; does nothing in a forked child.
  package static func closeFile(_ descriptor: Int32) {
    // The child has already closed the file, and the number may be that of another file.
    if isChild { return }
    if descriptor < descriptorLimit {
      unsafe openFiles[Int(descriptor)].store(false, ordering: .sequentiallyConsistent)
    }
    close(descriptor)
  }

  /// The description of each module's error in a forked child.
  package static var advice: String {
    """
    Locket does not work in a forked child of a process that has used it. Start the child with \
    posix_spawn or Foundation's Process, or call exec in it, or fork before the first use.
    """
  }

  /// Ends a forked child with a message that names `posix_spawn`.
  @inline(never)
  public static func trap() -> Never { fatalError(advice) }

  /// The last process that has reported, as counted by `current`.
  private static let lastReport = Atomic(0)

  /// Writes a line to standard error if this is the first call in a forked child.
  package static func report() {
    let process = unsafe current.pointee
    if lastReport.exchange(process, ordering: .relaxed) == process { return }
    writeToStandardError("\(advice) Values are the defaults, and changes are lost.")
  }
}

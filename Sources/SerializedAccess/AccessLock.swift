import CLibrary
import Concurrency
public import Synchronization

/// The lock of a value, and the state that determines how an access proceeds.
///
/// Both share one allocation, because atomic numbers and the C library require fixed addresses. A
/// structure saves an indirection in each access; its owner must call `destroy()`.
///
/// The lock knows the thread that holds it, which detects nested accesses. A mutex of the C library
/// can do that as well, but takes twice as long, because it is not compiled into its callers.
@usableFromInline @safe struct AccessLock: @unchecked Sendable {
  @usableFromInline @safe struct Memory: ~Copyable, @unchecked Sendable {
    // `@unchecked`: the comments tell what guards the variables.

    /// The thread that holds the lock, plus `contended`; 0 if the lock is free.
    @usableFromInline let holder = Atomic<UInt>(0)
    /// The sum of the reasons for taking the slow path.
    @usableFromInline let slowPathReasons = Atomic(0)
    @usableFromInline let forkCount = unsafe Fork.current
    /// Guarded by the lock.
    @usableFromInline var isObserved = false
    // The number of accesses in the queue that wait for the lock. Only tests read it.
    let queuedCount = Atomic(0)
    // A thread that waits holds the mutex, except while it is suspended. The mutex guards the rest,
    // which is atomic because the thread sanitizer takes a change of a variable for one of all.
    var mutex = unsafe pthread_mutex_t()
    var wakeUp = pthread_cond_t()
    let waitingCount = Atomic(0)
    /// Whether a thread is being woken up, and does not hold the mutex yet.
    let isWakingUp = Atomic(false)
  }

  /// The reasons why an access must take the slow path instead of only locking.
  enum SlowPath {
    static let customQueue = 1
    static let scheduled = 2
    /// The increment for each thread that has waited too long.
    static let starving = 4
  }

  @usableFromInline let memory: UnsafeMutablePointer<Memory>

  init() {
    Fork.registerHandlers()
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(to: Memory())
    unsafe initializeMutex(&memory.pointee.mutex, PTHREAD_MUTEX_NORMAL)
    unsafe Deadline.initializeCondition(&memory.pointee.wakeUp)
  }

  func destroy() {
    // In a child, the C library would wait for the threads of the parent.
    if !isInForkedChild {
      unsafe pthread_cond_destroy(&memory.pointee.wakeUp)
      unsafe pthread_mutex_destroy(&memory.pointee.mutex)
    }
    unsafe memory.deinitialize(count: 1)
    unsafe memory.deallocate()
  }

  /// Locks for the first access in the queue.
  ///
  /// After the deadline, the access counts as starving until it holds the lock. Each access that
  /// begins in the meantime goes to the end of the queue.
  func enterFromQueue(_ position: AccessPosition) {
    unsafe memory.pointee.queuedCount.add(1, ordering: .relaxed)
    defer { unsafe memory.pointee.queuedCount.subtract(1, ordering: .relaxed) }
    if let deadline = position.deadline, !position.isStarving {
      if enter(until: deadline) == .entered { return }
      addSlowPathReason(SlowPath.starving)
    }
    _ = enter()
    if position.deadline != nil { removeSlowPathReason(SlowPath.starving) }
  }

  @inline(__always)
  func trapInForkedChild() {
    if isInForkedChild { Fork.trap() }
  }

  @usableFromInline var isInForkedChild: Bool { unsafe memory.pointee.forkCount.pointee != 0 }

  /// Whether there are observers; only accessed while the lock is held.
  @inlinable var isObserved: Bool {
    get { unsafe memory.pointee.isObserved }
    nonmutating set { unsafe memory.pointee.isObserved = newValue }
  }

  /// Whether an access only has to lock; the lock need not be held.
  ///
  /// A thread always sees the reasons that it added itself.
  @inlinable var allowsFastPath: Bool {
    // Relaxed ordering is sufficient, because the lock orders all other memory accesses.
    unsafe slowPathReasons | memory.pointee.forkCount.pointee == 0
  }

  var hasScheduled: Bool { slowPathReasons & SlowPath.scheduled != 0 }

  /// Whether a thread has waited too long.
  var hasStarving: Bool { slowPathReasons >= SlowPath.starving }

  var hasQueued: Bool { unsafe memory.pointee.queuedCount.load(ordering: .relaxed) > 0 }

  @inlinable var slowPathReasons: Int {
    unsafe memory.pointee.slowPathReasons.load(ordering: .relaxed)
  }

  func addSlowPathReason(_ reason: Int) {
    unsafe memory.pointee.slowPathReasons.add(reason, ordering: .relaxed)
  }

  func removeSlowPathReason(_ reason: Int) { addSlowPathReason(-reason) }
}

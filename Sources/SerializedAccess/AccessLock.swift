import CLibrary
import Concurrency
import Synchronization

/// The mutex of a value, and the state that determines how an access proceeds.
///
/// The mutex and the state share one allocation, because the C library requires a fixed address. A
/// structure saves an indirection in each access; its owner must call `destroy()`.
///
/// The mutex is of the error-checking type: locking it twice on the same thread fails, which
/// detects nested accesses without additional cost. No other call on it fails.
@usableFromInline @safe struct AccessLock: @unchecked Sendable {
  @safe private struct Memory: ~Copyable {
    var mutex = unsafe pthread_mutex_t()
    // The sum of the reasons for taking the slow path.
    let slowPathReasons = Atomic(0)
    // The number of accesses in the queue that wait for the mutex. Only tests read it.
    let queuedCount = Atomic(0)
    let forkCount = unsafe Fork.current
    // Guarded by the mutex.
    var isObserved = false
  }

  /// The reasons why an access must take the slow path instead of only locking the mutex.
  enum SlowPath {
    static let customQueue = 1
    static let scheduled = 2
    /// The increment for each thread that has waited too long.
    static let starving = 4
  }

  enum Entry {
    case entered
    /// The calling thread already holds the mutex.
    case nested
    case timedOut
  }

  private let memory: UnsafeMutablePointer<Memory>

  init() {
    Fork.registerHandlers()
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(to: Memory())
    unsafe initializeMutex(&memory.pointee.mutex, PTHREAD_MUTEX_ERRORCHECK)
  }

  func destroy() {
    unsafe pthread_mutex_destroy(&memory.pointee.mutex)
    unsafe memory.deinitialize(count: 1)
    unsafe memory.deallocate()
  }

  /// Locks the mutex; returns false if the calling thread already holds it.
  func enter() -> Bool {
    trapInForkedChild()
    return unsafe pthread_mutex_lock(&memory.pointee.mutex) == 0
  }

  /// Locks the mutex; returns false if it is not free.
  func tryEnter() -> Bool { unsafe pthread_mutex_trylock(&memory.pointee.mutex) == 0 }

  func enter(until deadline: Deadline) -> Entry {
    trapInForkedChild()
    return switch unsafe deadline.lock(&memory.pointee.mutex) {
    case 0: .entered
    case EDEADLK: .nested
    // The thread may have resumed long after the deadline, and the mutex may be free.
    default: tryEnter() ? .entered : .timedOut
    }
  }

  /// Locks the mutex for the first access in the queue.
  ///
  /// After the deadline, the access counts as starving until it holds the mutex. Each access that
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

  /// Whether the calling thread holds the mutex; determining this does not wait.
  var isHeldByCurrentThread: Bool {
    let entry = enter(until: .past)
    if entry == .entered { leave() }
    return entry == .nested
  }

  /// Unlocks the mutex; returns false if the calling thread does not hold it.
  @discardableResult @usableFromInline
  func leave() -> Bool {
    if unsafe pthread_mutex_unlock(&memory.pointee.mutex) == 0 { return true }
    // The thread of a child that was forked during the access has another identifier.
    trapInForkedChild()
    return false
  }

  @inline(__always)
  func trapInForkedChild() {
    if isInForkedChild { Fork.trap() }
  }

  var isInForkedChild: Bool { unsafe memory.pointee.forkCount.pointee != 0 }

  /// Whether there are observers; only accessed while the mutex is held.
  var isObserved: Bool {
    get { unsafe memory.pointee.isObserved }
    nonmutating set { unsafe memory.pointee.isObserved = newValue }
  }

  /// Whether an access only has to lock the mutex, which need not be held.
  ///
  /// A thread always sees the reasons that it added itself.
  var allowsFastPath: Bool {
    // Relaxed ordering is sufficient, because the mutex orders all other memory accesses.
    unsafe slowPathReasons | memory.pointee.forkCount.pointee == 0
  }

  var hasScheduled: Bool { slowPathReasons & SlowPath.scheduled != 0 }

  /// Whether a thread has waited too long.
  var hasStarving: Bool { slowPathReasons >= SlowPath.starving }

  var hasQueued: Bool { unsafe memory.pointee.queuedCount.load(ordering: .relaxed) > 0 }

  private var slowPathReasons: Int {
    unsafe memory.pointee.slowPathReasons.load(ordering: .relaxed)
  }

  func addSlowPathReason(_ reason: Int) {
    unsafe memory.pointee.slowPathReasons.add(reason, ordering: .relaxed)
  }

  func removeSlowPathReason(_ reason: Int) { addSlowPathReason(-reason) }
}

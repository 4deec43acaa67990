import CLibrary
import Concurrency
import Synchronization

/// The mutex of a value, and the state that determines how an access proceeds.
///
/// The mutex and the state share one allocation, because the C library requires a fixed address.
/// This type is a structure, because a class would add an indirection to each access. The owner
/// must call `destroy()`.
///
/// The mutex is of the error-checking type: locking it again on the same thread fails instead of
/// deadlocking. This detects nested accesses without additional cost.
@usableFromInline @safe struct AccessLock: @unchecked Sendable {
  // `@unchecked`: threads share the memory; comments describe how each property is guarded.
  @safe private struct Memory: ~Copyable {
    // The mutex is unsafe because it contains a union, which only the C library reads.
    var mutex = unsafe pthread_mutex_t()
    // The sum of the reasons for taking the slow path.
    let slowPathReasons = Atomic(0)
    let generation = unsafe Fork.current
    let process = OwningProcess()
    // Guarded by the mutex.
    var isObserved = false
  }

  /// The reasons why an access must take the slow path instead of only locking the mutex.
  enum SlowPath {
    /// Accesses run on a custom queue.
    static let customQueue = 1
    /// Accesses are scheduled.
    static let scheduled = 2
    /// A thread of the parent process, which does not exist in this process, held the mutex at the
    /// fork.
    static let heldAtFork = 4
    /// The increment for each thread that has waited too long.
    static let starving = 8
  }

  /// The result of an attempt to lock the mutex.
  enum Entry {
    case entered
    /// The calling thread already holds the mutex.
    case nested
    case timedOut
  }

  private let memory: UnsafeMutablePointer<Memory>

  init() {
    // The C library receives addresses in `memory`, which does not move until `destroy()`.
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(to: Memory())
    resetMutex()
  }

  private func resetMutex() {
    // As in `init()`.
    unsafe initializeMutex(&memory.pointee.mutex, PTHREAD_MUTEX_ERRORCHECK)
  }

  /// Releases the memory.
  func destroy() {
    // No other reference exists, because the owner is being deinitialized.
    unsafe pthread_mutex_destroy(&memory.pointee.mutex)
    unsafe memory.deinitialize(count: 1)
    unsafe memory.deallocate()
  }

  /// Locks the mutex; returns false if the calling thread already holds it.
  func enter() -> Bool {
    // The mutex is initialized. The only possible error is that the calling thread holds it.
    unsafe pthread_mutex_lock(&memory.pointee.mutex) == 0
  }

  /// Locks the mutex if it is free, and returns whether it did.
  func tryEnter() -> Bool {
    // As in `enter()`.
    unsafe pthread_mutex_trylock(&memory.pointee.mutex) == 0
  }

  /// Locks the mutex, or gives up at a deadline.
  func enter(until deadline: Deadline) -> Entry {
    // As in `enter()`.
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
    // The mutex is initialized. Unlocking fails unless the calling thread holds it.
    if unsafe pthread_mutex_unlock(&memory.pointee.mutex) == 0 { return true }
    return leaveInForkedChild()
  }

  /// Whether observers must be notified of changes; only accessed while the mutex is held.
  var isObserved: Bool {
    // Only the thread that holds the mutex accesses this memory.
    get { unsafe memory.pointee.isObserved }
    nonmutating set { unsafe memory.pointee.isObserved = newValue }
  }

  /// Whether an access only has to lock the mutex.
  ///
  /// This property can be read without holding the mutex. A thread always sees the reasons that it
  /// added itself.
  var allowsFastPath: Bool {
    // Relaxed ordering is sufficient, because the mutex orders all other memory accesses.
    slowPathReasons | generation == 0
  }

  /// Whether there are scheduled accesses.
  var hasScheduled: Bool { slowPathReasons & SlowPath.scheduled != 0 }

  /// Whether a thread has waited too long.
  var hasStarving: Bool { slowPathReasons >= SlowPath.starving }

  private var slowPathReasons: Int {
    // The value is atomic, and the owner keeps the memory alive.
    unsafe memory.pointee.slowPathReasons.load(ordering: .relaxed)
  }

  func addSlowPathReason(_ reason: Int) {
    // As in `slowPathReasons`.
    unsafe memory.pointee.slowPathReasons.add(reason, ordering: .relaxed)
  }

  func removeSlowPathReason(_ reason: Int) {
    // As in `slowPathReasons`.
    unsafe memory.pointee.slowPathReasons.subtract(reason, ordering: .relaxed)
  }
}

extension AccessLock {
  /// Whether this process was forked from one that used this module.
  ///
  /// libdispatch does not work reliably there, because its threads exist only in the parent.
  var isInForkedChild: Bool { generation != 0 }

  /// The generation of the process, as counted by `Fork`.
  private var generation: Int {
    // No thread changes this value.
    unsafe memory.pointee.generation.pointee
  }

  /// Whether another thread held the mutex at the fork that created this process.
  var wasHeldAtFork: Bool { slowPathReasons & SlowPath.heldAtFork != 0 }

  /// Discards, at the first call in a forked child, the state of the parent's threads, and calls a
  /// closure that resets the state of the owner.
  func recoverAfterFork(_ reset: () -> Void) {
    // The owner keeps the memory alive.
    if unsafe memory.pointee.process.isCurrent { return }
    unsafe memory.pointee.process.recover {
      let isFree = tryEnter()
      if isFree { leave() }
      let retained = slowPathReasons & SlowPath.customQueue
      unsafe memory.pointee.slowPathReasons.store(
        retained | (isFree ? 0 : SlowPath.heldAtFork), ordering: .relaxed)
      reset()
    }
  }

  /// Ends an access during which the process was forked; returns false if there is no such access.
  ///
  /// The mutex cannot be unlocked, because the thread has a different identifier in the child.
  @inline(never)
  private func leaveInForkedChild() -> Bool {
    // As in `recoverAfterFork`.
    if unsafe !isInForkedChild || (memory.pointee.process.isCurrent && !wasHeldAtFork) {
      return false
    }
    resetMutex()
    if wasHeldAtFork { removeSlowPathReason(SlowPath.heldAtFork) }
    return true
  }
}

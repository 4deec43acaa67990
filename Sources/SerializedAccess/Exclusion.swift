import CLibrary
import Concurrency
import Synchronization

/// The mutex of one value, and the state that an access reads before and after its work.
///
/// All of it is in one allocation, because the C library needs a fixed address. It is a structure,
/// not an object, which saves each access an indirection; the owner calls `destroy()`.
///
/// The mutex is of the error-checking type: a thread that already holds it gets an error instead of
/// a deadlock, which detects nested accesses at no cost.
@usableFromInline @safe struct Exclusion: @unchecked Sendable {
  // `@unchecked`: threads share the memory; each part states its guard.
  @safe private struct Memory: ~Copyable {
    // The union in it makes the mutex unsafe; only the C library reads its contents.
    var mutex = unsafe pthread_mutex_t()
    // The reasons why an access cannot simply lock the mutex, see `Detour`.
    let detours = Atomic(0)
    let generation = unsafe Fork.current
    let process = OwningProcess()
    // Guarded by the mutex.
    var isObserved = false
  }

  /// Reasons why an access cannot simply lock the mutex.
  enum Detour {
    /// Accesses run on a caller's queue.
    static let callersQueue = 1
    /// Accesses are scheduled.
    static let scheduled = 2
    /// A thread that does not exist in this process held the mutex at the fork.
    static let heldAtFork = 4
    /// The unit of the number of threads that have waited too long.
    static let starving = 8
  }

  /// The outcome of an attempt to lock the mutex.
  enum Entry {
    case entered
    /// The calling thread already holds the mutex.
    case inside
    case timedOut
  }

  private let memory: UnsafeMutablePointer<Memory>

  init() {
    // The C library gets addresses inside `memory`, which stays in place until `destroy()`.
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
    // No other reference is left: the owner is being deinitialized.
    unsafe pthread_mutex_destroy(&memory.pointee.mutex)
    unsafe memory.deinitialize(count: 1)
    unsafe memory.deallocate()
  }

  /// Waits for the mutex; returns false if this thread already holds it.
  func enter() -> Bool {
    // The mutex is initialized; the only possible error is that this thread holds it.
    unsafe pthread_mutex_lock(&memory.pointee.mutex) == 0
  }

  /// Locks the mutex if it is free.
  func tryEnter() -> Bool {
    // As in `enter()`.
    unsafe pthread_mutex_trylock(&memory.pointee.mutex) == 0
  }

  /// Waits for the mutex until a deadline.
  func enter(until deadline: Deadline) -> Entry {
    // As in `enter()`.
    return switch unsafe deadline.lock(&memory.pointee.mutex) {
    case 0: .entered
    case EDEADLK: .inside
    // The thread may have slept past the deadline, and the mutex may be free.
    default: tryEnter() ? .entered : .timedOut
    }
  }

  /// Waits for the mutex at the head of the queue.
  ///
  /// After the deadline, the access counts as starving until it holds the mutex; each access that
  /// begins meanwhile goes to the end of the queue.
  func enterFromQueue(_ place: Place) {
    if let deadline = place.deadline, !place.isStarving {
      if enter(until: deadline) == .entered { return }
      addDetour(Detour.starving)
    }
    _ = enter()
    if place.deadline != nil { removeDetour(Detour.starving) }
  }

  /// Whether the calling thread holds the mutex; does not wait.
  var isHeldByThisThread: Bool {
    let entry = enter(until: .past)
    if entry == .entered { leave() }
    return entry == .inside
  }

  /// Unlocks the mutex; returns false if this thread does not hold it.
  @discardableResult @usableFromInline
  func leave() -> Bool {
    // As in `enter()`: the mutex records its owner.
    if unsafe pthread_mutex_unlock(&memory.pointee.mutex) == 0 { return true }
    return leaveInForkedChild()
  }

  /// Whether observers must be notified of changes; accessed only while the mutex is held.
  var isObserved: Bool {
    // Plain memory that only the holder of the mutex accesses.
    get { unsafe memory.pointee.isObserved }
    nonmutating set { unsafe memory.pointee.isObserved = newValue }
  }

  /// Whether an access needs nothing but the mutex.
  ///
  /// Readable without the mutex. A thread sees the detours that it has added.
  var isDirect: Bool {
    // Relaxed, since only this number is used: the mutex orders the rest.
    return detours | generation == 0
  }

  /// Whether accesses are scheduled.
  var hasScheduled: Bool { detours & Detour.scheduled != 0 }

  /// Whether a thread has waited too long.
  var hasStarving: Bool { detours >= Detour.starving }

  private var detours: Int {
    // Atomic, in memory that the owner keeps alive.
    unsafe memory.pointee.detours.load(ordering: .relaxed)
  }

  func addDetour(_ detour: Int) {
    // As in `detours`.
    unsafe memory.pointee.detours.add(detour, ordering: .relaxed)
  }

  func removeDetour(_ detour: Int) {
    // As in `detours`.
    unsafe memory.pointee.detours.subtract(detour, ordering: .relaxed)
  }
}

extension Exclusion {
  /// Whether this process was forked from one that used this module.
  ///
  /// libdispatch is unreliable there: work may be left to threads that exist only in the parent.
  var isInForkedChild: Bool { generation != 0 }

  /// The generation of the process, as counted by `Fork`.
  private var generation: Int {
    // No thread writes it.
    unsafe memory.pointee.generation.pointee
  }

  /// Whether another thread held the mutex at the fork that made this process.
  var wasHeldAtFork: Bool { detours & Detour.heldAtFork != 0 }

  /// Discards, at the first call in a forked child, the state of the parent's threads.
  ///
  /// - Parameter reset: Makes the owner's state usable in the child.
  func recoverAfterFork(_ reset: () -> Void) {
    // The owner keeps the memory alive.
    if unsafe memory.pointee.process.isCurrent { return }
    unsafe memory.pointee.process.recover {
      let isFree = tryEnter()
      if isFree { leave() }
      let kept = detours & Detour.callersQueue
      unsafe memory.pointee.detours.store(
        kept | (isFree ? 0 : Detour.heldAtFork), ordering: .relaxed)
      reset()
    }
  }

  /// Ends an access during which the process was forked; returns false if there is none.
  ///
  /// The mutex does not recognize its owner, because the child's thread has a new identifier.
  @inline(never)
  private func leaveInForkedChild() -> Bool {
    // As in `recoverAfterFork`.
    if unsafe !isInForkedChild || (memory.pointee.process.isCurrent && !wasHeldAtFork) {
      return false
    }
    resetMutex()
    if wasHeldAtFork { removeDetour(Detour.heldAtFork) }
    return true
  }
}

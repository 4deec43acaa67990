import Concurrency
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The mutex of one value, with the state that an access reads before and after its work.
///
/// All of it lies in one allocation, which gives the C library the fixed address that it asks for.
/// A structure, not an object, which saves every access a step: the owner calls `destroy()`.
///
/// The mutex checks for errors: it reports a thread that holds it already, instead of blocking it
/// for ever, which finds an access from inside an access at no cost.
@usableFromInline @safe struct Exclusion: @unchecked Sendable {
  // `@unchecked`: the memory holds the state that threads share; each part says its guard.
  @safe private struct Memory: ~Copyable {
    // The union in it makes the mutex unsafe; only the C library looks inside.
    var mutex = unsafe pthread_mutex_t()
    // The reasons for which an access cannot just take the mutex, see `Detour`.
    let detours = Atomic(0)
    let generation = unsafe Fork.current
    let process = OwningProcess()
    // Guarded by the mutex.
    var isObserved = false
  }

  /// Reasons for which an access cannot just take the mutex.
  enum Detour {
    /// Accesses run on a queue of the caller's.
    static let callersQueue = 1
    /// Accesses are scheduled.
    static let scheduled = 2
    /// A thread that the process does not have any more held the mutex when the process was forked.
    static let heldAtFork = 4
    /// A thread has waited too long; counted, since several threads may.
    static let starving = 8
  }

  /// How an attempt to take the mutex ended.
  enum Entry {
    case entered
    /// The calling thread holds the mutex already.
    case inside
    case timedOut
  }

  private let memory: UnsafeMutablePointer<Memory>

  init() {
    // The C library is handed addresses inside `memory`, which stays where it is until `destroy()`.
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(to: Memory())
    initializeMutex()
  }

  private func initializeMutex() {
    // As in `init()`.
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    unsafe pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
    let code = unsafe pthread_mutex_init(&memory.pointee.mutex, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
    if code != 0 { fatalError("The C library could not make a mutex (error \(code)).") }
  }

  /// Releases the memory.
  func destroy() {
    // No other reference is left: the owner is being released.
    unsafe pthread_mutex_destroy(&memory.pointee.mutex)
    unsafe memory.deinitialize(count: 1)
    unsafe memory.deallocate()
  }

  /// Waits for the mutex; returns false if this thread holds it already.
  func enter() -> Bool {
    // The mutex is initialized, so that the only possible error is that this thread holds it.
    unsafe pthread_mutex_lock(&memory.pointee.mutex) == 0
  }

  /// Takes the mutex if it is free at this moment.
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
    // The thread may have slept beyond the deadline, and the mutex may be free.
    default: tryEnter() ? .entered : .timedOut
    }
  }

  /// Waits for the mutex at the head of the queue.
  ///
  /// From the deadline on the access counts as starving until it has the mutex: each access that is
  /// asked for meanwhile goes to the end of the queue.
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
    if tryEnter() {
      leave()
      return false
    }
    switch enter(until: .past) {
    case .inside: return true
    case .timedOut: return false
    case .entered:
      leave()
      return false
    }
  }

  /// Unlocks the mutex; returns false if this thread does not hold it.
  @discardableResult @usableFromInline
  func leave() -> Bool {
    // As in `enter()`: the mutex itself knows its owner.
    if unsafe pthread_mutex_unlock(&memory.pointee.mutex) == 0 { return true }
    return leaveInForkedChild()
  }

  /// Whether observers must be told of changes; read and written only while the mutex is held.
  var isObserved: Bool {
    // Plain memory that only the holder of the mutex touches.
    get { unsafe memory.pointee.isObserved }
    nonmutating set { unsafe memory.pointee.isObserved = newValue }
  }

  /// Whether an access may take the mutex and needs nothing else.
  ///
  /// Can be read without the mutex. A detour that this thread added is seen.
  var isDirect: Bool {
    // Relaxed, since nothing but this number is concluded from it: the mutex orders the rest.
    return detours | generation == 0
  }

  /// Whether accesses are scheduled.
  var hasScheduled: Bool { detours & Detour.scheduled != 0 }

  /// Whether a thread has waited too long.
  var hasStarving: Bool { detours >= Detour.starving }

  private var detours: Int {
    // Atomic, in memory that the owner keeps.
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
  /// Whether the running process was forked from one that used this module.
  ///
  /// libdispatch cannot be relied on there: work may be left to threads that only the parent has.
  var isInForkedChild: Bool { generation != 0 }

  /// The generation of the process, as `Fork` knows it.
  private var generation: Int {
    // No thread writes it.
    unsafe memory.pointee.generation.pointee
  }

  /// Whether another thread held the mutex at the fork that made this process.
  var wasHeldAtFork: Bool { detours & Detour.heldAtFork != 0 }

  /// Forgets, at the first call in a forked child, what the parent's threads were doing.
  ///
  /// - Parameter reset: Makes the owner's state usable in the child.
  func recoverAfterFork(_ reset: () -> Void) {
    // The owner keeps the memory.
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

  /// Ends an access in which the process was forked; returns false if there is none.
  ///
  /// The mutex takes its owner for another thread, because the child's one has a new identifier.
  @inline(never)
  private func leaveInForkedChild() -> Bool {
    // As in `recoverAfterFork`.
    if unsafe !isInForkedChild || (memory.pointee.process.isCurrent && !wasHeldAtFork) {
      return false
    }
    initializeMutex()
    if wasHeldAtFork { removeDetour(Detour.heldAtFork) }
    return true
  }
}

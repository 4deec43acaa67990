#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The mutex of one value, with what an access looks at before and after its work.
///
/// All of it lies in one allocation, which gives the C library the fixed address that it asks for.
/// A value, not an object: its owner calls `destroy()`, and saves every access a step.
///
/// The mutex checks for errors: it answers a thread that holds it already, instead of stopping it
/// for ever, which finds an access from inside an access at no cost.
@usableFromInline @safe struct Exclusion: @unchecked Sendable {
  // `@unchecked`: the memory holds what threads meet at, and says which part of it needs what.
  @safe private struct Memory {
    // The union in it makes the mutex unsafe; only the C library looks inside.
    var mutex = unsafe pthread_mutex_t()
    // The atomic counter of the C library: nobody ever waits for this semaphore.
    var detours = sem_t()
    var isObserved = false
  }

  private let memory: UnsafeMutablePointer<Memory>

  init() {
    // The C library is handed addresses inside `memory`, which stays where it is until `destroy()`.
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(to: Memory())
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    unsafe pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
    let code = unsafe pthread_mutex_init(&memory.pointee.mutex, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
    if code != 0 { fatalError("The C library could not make a mutex (error \(code)).") }
    unsafe sem_init(&memory.pointee.detours, 0, 0)
  }

  /// Gives the memory back.
  func destroy() {
    // Nobody else can reach the memory any more: its owner is being released.
    unsafe sem_destroy(&memory.pointee.detours)
    unsafe pthread_mutex_destroy(&memory.pointee.mutex)
    unsafe memory.deallocate()
  }

  /// Waits for the exclusion; returns false when this thread holds it already.
  func enter() -> Bool {
    // The mutex was initialized, so that the only error left is that this thread holds it.
    unsafe pthread_mutex_lock(&memory.pointee.mutex) == 0
  }

  /// Takes the exclusion if it is free at this moment.
  func tryEnter() -> Bool {
    // As in `enter()`.
    unsafe pthread_mutex_trylock(&memory.pointee.mutex) == 0
  }

  /// Ends the exclusion; returns false when this thread does not hold it.
  @discardableResult @usableFromInline
  func leave() -> Bool {
    // As in `enter()`: the mutex itself knows who holds it.
    unsafe pthread_mutex_unlock(&memory.pointee.mutex) == 0
  }

  /// Whether somebody must hear of changes; read and written only while the exclusion is held.
  var isObserved: Bool {
    // Plain memory that only the holder of the exclusion touches.
    get { unsafe memory.pointee.isObserved }
    nonmutating set { unsafe memory.pointee.isObserved = newValue }
  }

  /// Whether an access must take the longer way: because accesses are scheduled, or because there
  /// is a queue of the caller's.
  ///
  /// Can be asked without the exclusion. What this thread scheduled before is known here.
  var hasDetour: Bool {
    var count: CInt = 0
    // The semaphore was initialized, so that reading it cannot fail.
    unsafe sem_getvalue(&memory.pointee.detours, &count)
    return count != 0
  }

  func addDetour() {
    // Fails only beyond two thousand million, and there are at most two.
    unsafe sem_post(&memory.pointee.detours)
  }

  func removeDetour() {
    // Never waits: what is removed was added before.
    unsafe sem_trywait(&memory.pointee.detours)
  }
}

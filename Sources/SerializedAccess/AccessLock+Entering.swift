public import CLibrary
public import Synchronization

// Locking and unlocking.
extension AccessLock {
  enum Entry {
    case entered
    /// The calling thread already holds the lock.
    case nested
    case timedOut
  }

  /// Added to the holder if a thread waits and none is waking up.
  private static let contended: UInt = 1

  /// The identity of the calling thread, which a later thread may reuse: an even number, not 0.
  ///
  /// The compiler may determine it once for several uses, but not across a suspension of a task.
  @inlinable static var currentThread: UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      unsafe UInt(bitPattern: pthread_self())
    #endif
  }

  /// Locks; returns false if the lock is not free.
  @inlinable func tryEnter() -> Bool {
    unsafe memory.pointee.holder.compareExchange(
      expected: 0, desired: Self.currentThread, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// Locks; returns false if the calling thread already holds the lock.
  func enter() -> Bool { enter(until: nil) == .entered }

  /// Locks, unless the lock is not free before the deadline.
  func enter(until deadline: Deadline?) -> Entry {
    trapInForkedChild()
    if tryEnter() { return .entered }
    if isHeldByCurrentThread { return .nested }
    return waitAndEnter(until: deadline)
  }

  /// Unlocks; returns false if the calling thread does not hold the lock.
  @inlinable @discardableResult func leave() -> Bool {
    let isLeft = unsafe memory.pointee.holder.compareExchange(
      expected: Self.currentThread, desired: 0, successOrdering: .releasing,
      failureOrdering: .relaxed
    ).exchanged
    return isLeft && !isInForkedChild || leaveSlowly()
  }

  var isHeldByCurrentThread: Bool { holder & ~Self.contended == Self.currentThread }

  private var holder: UInt { unsafe memory.pointee.holder.load(ordering: .relaxed) }

  // A thread that waits makes the holder contended. Unlocking then wakes up one thread, and makes
  // the lock free, so that running threads need not wait for the one that wakes up. That one makes
  // the next holder contended again if threads still wait, it or others.

  private func waitAndEnter(until deadline: Deadline?) -> Entry {
    unsafe pthread_mutex_lock(&memory.pointee.mutex)
    unsafe memory.pointee.waitingCount.add(1, ordering: .relaxed)
    defer {
      unsafe memory.pointee.waitingCount.subtract(1, ordering: .relaxed)
      unsafe pthread_mutex_unlock(&memory.pointee.mutex)
    }
    var isOver = false
    while true {
      let current = holder
      if current == 0 {
        let isContended = waitingCount > 1
        if exchange(0, Self.currentThread | (isContended ? Self.contended : 0)) { return .entered }
      } else if isWakingUp || exchange(current, current | Self.contended) {
        if isOver { return .timedOut }
        isOver = !suspend(until: deadline)
        isWakingUp = false
      }
    }
  }

  private var waitingCount: Int { unsafe memory.pointee.waitingCount.load(ordering: .relaxed) }

  private var isWakingUp: Bool {
    get { unsafe memory.pointee.isWakingUp.load(ordering: .relaxed) }
    nonmutating set { unsafe memory.pointee.isWakingUp.store(newValue, ordering: .relaxed) }
  }

  /// Suspends the thread until it is woken up; returns false after the deadline.
  private func suspend(until deadline: Deadline?) -> Bool {
    if var time = deadline?.time {
      unsafe pthread_cond_timedwait(&memory.pointee.wakeUp, &memory.pointee.mutex, &time)
        != ETIMEDOUT
    } else {
      unsafe pthread_cond_wait(&memory.pointee.wakeUp, &memory.pointee.mutex) == 0
    }
  }

  private func wakeUpOne() {
    unsafe pthread_mutex_lock(&memory.pointee.mutex)
    if waitingCount > 0 {
      isWakingUp = true
      unsafe pthread_cond_signal(&memory.pointee.wakeUp)
    }
    unsafe pthread_mutex_unlock(&memory.pointee.mutex)
  }

  private func exchange(_ expected: UInt, _ desired: UInt) -> Bool {
    unsafe memory.pointee.holder.compareExchange(
      expected: expected, desired: desired, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  @usableFromInline @inline(never)
  func leaveSlowly() -> Bool {
    trapInForkedChild()
    guard isHeldByCurrentThread else { return false }
    let holder = unsafe memory.pointee.holder.exchange(0, ordering: .releasing)
    if holder & Self.contended != 0 { wakeUpOne() }
    return true
  }
}

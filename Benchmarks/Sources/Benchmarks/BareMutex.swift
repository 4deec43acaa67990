import Glibc

/// A number behind a mutex of the C library, as in a C program.
final class BareMutex: @unchecked Sendable {
  // `@unchecked`: the number is accessed only between lock and unlock.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let number = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  init() {
    number.initialize(to: 0)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    number.deallocate()
  }

  func lock() {
    pthread_mutex_lock(mutex)
  }

  func unlock() {
    pthread_mutex_unlock(mutex)
  }

  func increment() {
    lock()
    number.pointee += 1
    unlock()
  }
}

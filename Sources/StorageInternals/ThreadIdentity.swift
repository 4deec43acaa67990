#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Tells the threads that run now from one another.
@safe package struct ThreadIdentity: Equatable, @unchecked Sendable {
  // `@unchecked`: with some C libraries it is a pointer, which is compared and never followed.
  private let thread: pthread_t

  package static var current: ThreadIdentity { ThreadIdentity(thread: pthread_self()) }

  package static func == (first: ThreadIdentity, second: ThreadIdentity) -> Bool {
    pthread_equal(first.thread, second.thread) != 0
  }
}

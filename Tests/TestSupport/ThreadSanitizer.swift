package import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The thread sanitizer, as far as tests must know of it.
package enum ThreadSanitizer {
  /// Whether this process runs with it.
  package static let isActive = unsafe dlsym(nil, "__tsan_init") != nil
}

extension Trait where Self == ConditionTrait {
  /// Leaves a test out that makes forked children, where they hang in the thread sanitizer: it
  /// knows only those that call `exec`.
  package static var forks: Self {
    .disabled(if: ThreadSanitizer.isActive, "The thread sanitizer knows no forked children.")
  }
}

import CLibrary
package import Testing

/// The thread sanitizer's effects on tests.
package enum ThreadSanitizer {
  package static let isActive = unsafe dlsym(nil, "__tsan_init") != nil
}

extension Trait where Self == ConditionTrait {
  /// Skips a test whose forked children would hang in the thread sanitizer, which supports only
  /// children that call `exec`.
  package static var forks: Self {
    .disabled(if: ThreadSanitizer.isActive, "The thread sanitizer knows no forked children.")
  }
}

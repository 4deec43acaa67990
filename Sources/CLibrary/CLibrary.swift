/// The C library of the platform: glibc, or musl in a statically linked executable.
///
/// `@_exported` makes its declarations visible in the files that import this module.
#if canImport(Glibc)
  @_exported public import Glibc
#else
  @_exported public import Musl
#endif

private let activeBreak = unsafe getenv("LOCKET_BREAK").flatMap { unsafe Int(String(cString: $0)) } ?? 0

/// Whether the careless change with this number is switched on, for a check of the tests.
public func locketBreak(_ number: Int) -> Bool { activeBreak == number }

/// The C library of the platform: glibc, or musl in a statically linked executable.
///
/// `@_exported` makes its declarations visible in the files that import this module.
#if canImport(Glibc)
  @_exported public import Glibc
#else
  @_exported public import Musl
#endif

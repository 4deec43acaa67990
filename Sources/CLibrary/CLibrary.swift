/// The C library of the platform: glibc, or musl in an executable that is linked statically.
///
/// Every file that calls it imports this module and is the same for both. A plain import would not
/// pass the declarations on, so the attribute is needed.
#if canImport(Glibc)
  @_exported public import Glibc
#else
  @_exported public import Musl
#endif

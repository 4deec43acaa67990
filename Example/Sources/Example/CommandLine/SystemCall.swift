#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

enum SystemCall {
  /// Why the last system call of this thread failed, in the C library's words.
  static var reason: String {
    // The text is copied before another call can overwrite it.
    unsafe String(cString: strerror(errno))
  }
}

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension File {
  /// Whether the file is open for writing, by another process or by this one; false where the
  /// kernel does not tell.
  ///
  /// The kernel grants a lease for reading only on a file that is not open for writing, and to its
  /// owner alone. The lease is given back at once.
  var isOpenForWriting: Bool {
    withDescriptor { descriptor in
      // A process that opens the file in between makes the kernel send the holder a signal. By
      // default it is one that ends the process; this one is ignored.
      guard fcntl(descriptor, Self.setSignal, SIGURG) == 0 else { return false }
      if fcntl(descriptor, Self.setLease, CInt(F_RDLCK)) == 0 {
        _ = fcntl(descriptor, Self.setLease, CInt(F_UNLCK))
        return false
      }
      return errno == EAGAIN
    }
  }

  // Linux's F_SETSIG and F_SETLEASE, which Swift's overlay does not have.
  private static var setSignal: Int32 { 10 }
  private static var setLease: Int32 { 1024 }
}

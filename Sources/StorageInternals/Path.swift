#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

// By bytes, as the kernel does: as characters, a slash and a combining mark after it are one.

extension String {
  /// The path of the directory that holds this path's last component.
  package var parentDirectory: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// What follows the last slash.
  package var lastComponent: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
    return String(self[utf8.index(after: slash)...])
  }

  /// Whether this is the same path byte for byte.
  package func isSamePath(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8)
  }

  /// Whether a C function would take this for a shorter path.
  ///
  /// Each call on a path asks, and `strlen` is many times as fast as a look at each byte.
  var hasNUL: Bool {
    unsafe withCString { unsafe strlen($0) } != utf8.count
  }
}

import CLibrary

// Paths are split by bytes, as in the kernel: a `Character` may combine a slash with a combining
// mark.
extension String {
  /// The path of the directory that contains the last component.
  package var parentDirectory: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// The last component of the path: the text after the last slash.
  package var lastComponent: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
    return String(self[utf8.index(after: slash)...])
  }

  /// Returns whether two paths have the same bytes.
  package func isSamePath(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8)
  }

  /// Whether the path contains a zero byte, at which a C function would stop reading.
  ///
  /// Every system call on a path checks this; `strlen` is much faster than a loop over the bytes.
  var hasNUL: Bool {
    unsafe withCString { unsafe strlen($0) } != utf8.count
  }
}

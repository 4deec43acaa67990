/// The C library of the platform: glibc, or musl in a statically linked executable.
///
/// `@_exported` makes its declarations visible in the files that import this module.
#if canImport(Glibc)
  @_exported public import Glibc
#else
  @_exported public import Musl
#endif

/// Returns the C library's message for an error number.
package func errorMessage(_ code: Int32) -> String {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    unsafe strerror_r(code, buffer.baseAddress!, buffer.count) == 0
      ? unsafe String(cString: buffer.baseAddress!) : "unknown error"
  }
}

/// Returns a function of the C library, or of a loaded one; nil if the library lacks it.
///
/// The caller guarantees that the type is correct.
package func cFunction<Function>(
  _ name: String, in handle: UnsafeMutableRawPointer? = nil, as type: Function.Type = Function.self
) -> Function? {
  guard MemoryLayout<Function>.size == MemoryLayout<Int>.size else {
    fatalError("\(type) is not the type of a C function: write @convention(c) before it.")
  }
  // The address of a C function and a value of its type have the same representation.
  return unsafe dlsym(handle, name).map { unsafe unsafeBitCast($0, to: type) }
}

/// Writes a line to standard error; there is nowhere else to report a failure of that.
@Sendable package func writeToStandardError(_ line: String) {
  var line = "\(line)\n"
  _ = line.withUTF8 { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Fills a buffer from a file or pipe, up to its end.
///
/// - Returns: The number of bytes read; nil if that failed, with the reason in `errno`.
package func readFully(
  _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
) -> Int? {
  var filled = 0
  while filled < buffer.count {
    let count = unsafe read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
    if count == 0 { break }
    if count > 0 {
      filled += count
    } else if errno != EINTR {
      return nil
    }
  }
  return filled
}

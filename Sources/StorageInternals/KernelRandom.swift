#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The kernel's generator of random bytes.
///
/// It is reached by a system call of its own, so that it needs no descriptor and no `/dev`, and a
/// failure is reported. Foundation's `UUID()` opens `/dev/urandom` each time and ignores that it
/// cannot: what it returns then repeats itself.
package enum KernelRandom {
  /// Fills a buffer of at most 256 bytes, in one call.
  package static func fill(
    _ buffer: UnsafeMutableBufferPointer<UInt8>
  ) throws(SystemError) {
    guard let start = buffer.baseAddress else { return }
    // The buffer has as many bytes as it says.
    guard unsafe getentropy(start, buffer.count) == 0 else {
      throw SystemError(call: .getrandom, path: "the kernel's generator", code: errno)
    }
  }

  /// Makes at most 256 bytes.
  package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try unsafe bytes.withUnsafeMutableBufferPointer { buffer throws(SystemError) in
      try unsafe fill(buffer)
    }
    return bytes
  }

  /// Makes a number of any type, each value as likely as any other.
  package static func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) throws(SystemError) -> Integer {
    try bytes(MemoryLayout<Integer>.size).reduce(0) { $0 << 8 | Integer($1) }
  }
}

import CLibrary

/// The kernel's random number generator, which needs no file and reports failures, unlike `UUID()`.
package enum KernelRandom {
  /// Fills a buffer of at most 256 bytes.
  package static func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) throws(SystemError) {
    guard let start = buffer.baseAddress else { return }
    guard unsafe getentropy(start, buffer.count) == 0 else {
      throw SystemError(call: .getrandom, path: "the kernel's random number generator", code: errno)
    }
  }

  /// Returns random bytes, at most 256.
  package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try unsafe bytes.withUnsafeMutableBufferPointer { buffer throws(SystemError) in
      try unsafe fill(buffer)
    }
    return bytes
  }

  package static func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) throws(SystemError) -> Integer {
    try bytes(MemoryLayout<Integer>.size).reduce(0) { $0 << 8 | Integer($1) }
  }
}

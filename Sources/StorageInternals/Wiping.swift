import CLibrary
package import FoundationEssentials

extension [UInt8] {
  /// Overwrites the bytes and empties the array.
  ///
  /// The array must not share its memory with a copy, which would keep the bytes.
  package mutating func wipe() {
    // The optimiser does not remove calls of `explicit_bzero`.
    unsafe withUnsafeMutableBytes { unsafe overwrite($0) }
    self = []
  }
}

extension Data {
  /// Overwrites the bytes and empties the data, which must not share its memory with a copy.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { unsafe overwrite($0) }
    self = Data()
  }
}

/// Overwrites 16 KiB of stack below the caller's frame, where old local variables may remain.
@inline(never) package func wipeReturnedFrames() {
  var frame = InlineArray<16384, UInt8>(repeating: 0)
  unsafe withUnsafeMutableBytes(of: &frame) { unsafe overwrite($0) }
}

private func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
  guard let start = bytes.baseAddress else { return }
  unsafe explicit_bzero(start, bytes.count)
}

/// The kernel's random number generator.
///
/// The system call needs neither a file descriptor nor `/dev`, and reports failures. Foundation's
/// `UUID()` opens `/dev/urandom` each time, and returns repeated values if that fails.
package enum KernelRandom {
  /// Fills a buffer of at most 256 bytes with random bytes.
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

  /// Returns a uniformly distributed random integer.
  package static func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) throws(SystemError) -> Integer {
    try bytes(MemoryLayout<Integer>.size).reduce(0) { $0 << 8 | Integer($1) }
  }
}

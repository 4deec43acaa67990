import CLibrary
package import FoundationEssentials

extension [UInt8] {
  /// Overwrites the bytes, and leaves the array empty.
  ///
  /// Copies that share the array's memory keep their bytes, so the array must have one reference.
  package mutating func wipe() {
    // The optimiser may not remove `explicit_bzero`.
    unsafe withUnsafeMutableBytes { unsafe overwrite($0) }
    self = []
  }
}

extension Data {
  /// Overwrites the bytes, and leaves the data empty; see `[UInt8].wipe()`.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { unsafe overwrite($0) }
    self = Data()
  }
}

/// Overwrites 16 KiB of the calling thread's stack below the caller's frame, which may hold the
/// variables of functions that have returned.
@inline(never) package func wipeReturnedFrames() {
  var frame = InlineArray<16384, UInt8>(repeating: 0)
  unsafe withUnsafeMutableBytes(of: &frame) { unsafe overwrite($0) }
}

private func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
  guard let start = bytes.baseAddress else { return }
  unsafe explicit_bzero(start, bytes.count)
}

/// The kernel's generator of random bytes.
///
/// Its system call needs no descriptor and no `/dev`, and reports a failure. Foundation's
/// `UUID()` opens `/dev/urandom` each time and ignores a failure, after which it returns repeated
/// values.
package enum KernelRandom {
  /// Fills a buffer of at most 256 bytes, in one call.
  package static func fill(
    _ buffer: UnsafeMutableBufferPointer<UInt8>
  ) throws(SystemError) {
    guard let start = buffer.baseAddress else { return }
    // The buffer has as many bytes as its count.
    guard unsafe getentropy(start, buffer.count) == 0 else {
      throw SystemError(call: .getrandom, path: "the kernel's generator", code: errno)
    }
  }

  /// Returns at most 256 random bytes.
  package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try unsafe bytes.withUnsafeMutableBufferPointer { buffer throws(SystemError) in
      try unsafe fill(buffer)
    }
    return bytes
  }

  /// Returns a uniformly distributed random integer of any type.
  package static func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) throws(SystemError) -> Integer {
    try bytes(MemoryLayout<Integer>.size).reduce(0) { $0 << 8 | Integer($1) }
  }
}

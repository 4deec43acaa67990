import StorageInternals

extension [UInt8] {
  /// Returns random bytes of the kernel's generator, at most 256.
  static func random(_ count: Int) throws(SecretStoreError) -> [UInt8] {
    try system { () throws(SystemError) in try KernelRandom.bytes(count) }
  }
}

extension Secret {
  /// Returns random bytes of the kernel's generator, at most 256.
  static func random(_ count: Int) throws(SecretStoreError) -> Secret {
    try system { () throws(SystemError) in
      try unsafe Secret(count: count) { buffer throws(SystemError) in
        try unsafe KernelRandom.fill(buffer)
      }
    }
  }

  /// Returns a copy of a part of the bytes.
  func slice(_ range: some RangeExpression<Int>) -> Secret {
    // The range is within the bytes, and they are copied inside the closure.
    unsafe withUnsafeBytes { unsafe Secret($0[range.relative(to: $0.indices)]) }
  }

  /// Returns the bytes of this secret followed by those of another.
  func followed(by other: Secret) -> Secret {
    unsafe Secret(count: count + other.count) { buffer in
      unsafe withUnsafeBytes { one in
        unsafe other.withUnsafeBytes { two in
          let bytes = UnsafeMutableRawBufferPointer(buffer)
          unsafe bytes.copyMemory(from: one)
          unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[one.count...]).copyMemory(from: two)
        }
      }
    }
  }
}

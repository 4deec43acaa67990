import StorageInternals

extension [UInt8] {
  /// Returns at most 256 random bytes from the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> [UInt8] {
    try system { () throws(SystemError) in try KernelRandom.bytes(count) }
  }
}

extension Secret {
  /// Returns at most 256 random bytes from the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> Secret {
    try system { () throws(SystemError) in
      try unsafe Secret(count: count) { buffer throws(SystemError) in
        try unsafe KernelRandom.fill(buffer)
      }
    }
  }

  /// Returns a copy of some of the bytes.
  func slice(_ range: some RangeExpression<Int>) -> Secret {
    // The bytes are copied inside the closure, and the subscript checks the range.
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

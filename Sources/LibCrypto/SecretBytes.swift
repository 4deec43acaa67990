/// The bytes of a secret, in memory that the conforming type protects.
package protocol SecretBytes {
  /// Creates a secret of `count` zero bytes that a closure overwrites.
  init<Failure: Error>(
    count: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure)

  /// Passes the bytes to a closure, which must not use them after it returns.
  func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result
}

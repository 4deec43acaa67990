/// Bytes that must not leak.
///
/// The bytes live in memory that is kept out of core dumps, and out of swap as far as the kernel's
/// limit on locked memory allows, and they are overwritten when the last copy of the value is
/// released. Descriptions, debug descriptions, mirrors and string interpolations show `<redacted>`.
/// A `String` or `Data` made of the bytes has none of these properties: Swift copies those freely.
public struct Secret: Sendable {
  let memory: SecretMemory

  init(memory: SecretMemory) {
    self.memory = memory
  }

  /// Copies bytes.
  public init(_ bytes: some Collection<UInt8>) {
    unsafe self.init(count: bytes.count) { buffer in
      _ = unsafe buffer.initialize(fromContentsOf: bytes)
    }
  }

  /// Makes a secret of as many bytes, which a closure fills; before, they are zero.
  ///
  /// The buffer must not be used after the closure returned.
  public init<Failure: Error>(
    count: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    memory = SecretMemory(count: count)
    unsafe try fill(memory.bytes)
  }

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Gives a closure the bytes, which must not be used after it returned.
  public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(memory) {} }
    return unsafe try body(UnsafeRawBufferPointer(memory.bytes))
  }
}

extension Secret: Equatable {
  /// Compares the bytes in a time that depends only on their number.
  public static func == (one: Secret, other: Secret) -> Bool {
    unsafe one.withUnsafeBytes { one in
      unsafe other.withUnsafeBytes { other in
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices { unsafe difference |= one[index] ^ other[index] }
        return difference == 0
      }
    }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

import StorageInternals

/// Secret bytes, such as a password or a key.
///
/// The memory of the bytes is excluded from core dumps and, within the kernel's limit on locked
/// memory, from swap. It is overwritten when the last copy of the value is released.
/// Descriptions are `<redacted>`, and mirrors are empty. A `String` or `Data` that is created from
/// the bytes is not protected.
public struct Secret: Sendable {
  let memory: SecretMemory

  init(memory: SecretMemory) {
    self.memory = memory
  }

  /// Creates a secret from bytes, which are copied.
  public init(_ bytes: some Collection<UInt8>) {
    unsafe self.init(count: bytes.count) { buffer in
      _ = unsafe buffer.initialize(fromContentsOf: bytes)
    }
  }

  /// Creates a secret from the UTF-8 encoding of a text.
  public init(_ text: String) {
    self.init(text.utf8)
  }

  /// Reads at most `limit + 1` bytes; a file without a size, such as a FIFO, is treated as empty.
  init(contentsOf file: borrowing File, limit: Int) throws(SystemError) {
    let capacity = min(max(try file.status().size, 0), limit + 1)
    var count = 0
    let read = unsafe try Secret(count: capacity) { buffer throws(SystemError) in
      guard capacity > 0 else { return }
      count = unsafe try file.read(into: UnsafeMutableRawBufferPointer(buffer), from: 0)
    }
    self =
      unsafe count == capacity ? read : read.withUnsafeBytes { unsafe Secret($0.prefix(count)) }
  }

  /// Creates a secret of `count` zero bytes, which a closure fills, without keeping the buffer.
  public init<Failure: Error>(
    count: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    memory = SecretMemory(count: count)
    unsafe try fill(memory.bytes)
  }

  var wipedByForking: Secret {
    if memory.isWipedByForking { return self }
    let copy = Secret(memory: SecretMemory(count: count, isWipedByForking: true))
    unsafe withUnsafeBytes {
      unsafe UnsafeMutableRawBufferPointer(copy.memory.bytes).copyMemory(from: $0)
    }
    return copy
  }

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Calls a closure with the bytes, which must not be used after the closure has returned.
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

extension Secret: CustomStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

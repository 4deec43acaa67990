import StorageInternals

/// Bytes that must not leak.
///
/// The bytes live in memory that is excluded from core dumps, and from swap as far as the kernel's
/// limit on locked memory allows. They are overwritten when the last copy of the value is released.
/// Descriptions, debug descriptions, mirrors and string interpolations show `<redacted>`. A
/// `String` or `Data` made from the bytes is not protected, because Swift copies it freely.
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

  /// Takes over bytes, and overwrites the original.
  init(wiping bytes: inout [UInt8]) {
    self.init(bytes)
    bytes.wipe()
  }

  /// Reads a file up to its end; of a longer file, reads one byte more than the limit.
  ///
  /// A file without a size, such as a FIFO, counts as empty.
  init(contentsOf file: borrowing File, limit: Int) throws(SystemError) {
    let room = min(max(try file.status().size, 0), limit + 1)
    var count = 0
    let read = unsafe try Secret(count: room) { buffer throws(SystemError) in
      guard room > 0 else { return }
      count = unsafe try file.read(into: UnsafeMutableRawBufferPointer(buffer), from: 0)
    }
    self = unsafe count == room ? read : read.withUnsafeBytes { unsafe Secret($0.prefix(count)) }
  }

  /// Makes a secret of `count` zero bytes, and lets a closure fill them.
  ///
  /// The buffer must not be used after the closure returns.
  public init<Failure: Error>(
    count: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    memory = SecretMemory(count: count)
    unsafe try fill(memory.bytes)
  }

  /// A copy in memory that a forked child finds zeroed, for secrets of this process alone.
  var wipedByForking: Secret {
    if memory.isWipedByForking { return self }
    let copy = Secret(memory: SecretMemory(count: count, isWipedByForking: true))
    // The two values keep their blocks alive.
    unsafe withUnsafeBytes {
      unsafe UnsafeMutableRawBufferPointer(copy.memory.bytes).copyMemory(from: $0)
    }
    return copy
  }

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Passes the bytes to a closure; they must not be used after it returns.
  public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(memory) {} }
    return unsafe try body(UnsafeRawBufferPointer(memory.bytes))
  }
}

extension Secret: Equatable {
  /// Compares the bytes, in a time that depends only on their number.
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

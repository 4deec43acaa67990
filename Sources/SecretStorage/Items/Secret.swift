import StorageInternals

/// Secret bytes, such as a password or a key.
///
/// The memory of the bytes is excluded from core dumps and, within the kernel's limit on locked
/// memory, from swap. It is overwritten when the last copy is released. Descriptions are
/// `<redacted>`, and mirrors are empty. A `String` or `Data` of the bytes is not protected.
public struct Secret: Sendable {
  let memory: SecretMemory

  init(memory: SecretMemory) { self.memory = memory }

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

  /// Creates a secret from at most `limit + 1` bytes of a file; the last shows that it is longer.
  ///
  /// A file without a size, such as a FIFO, is treated as empty.
  init(contentsOf file: borrowing File, limit: Int) throws(SystemError) {
    let capacity = min(max(try file.status().size, 0), limit + 1)
    var count = 0
    let read = unsafe try Secret(count: capacity) { buffer throws(SystemError) in
      guard capacity > 0 else { return }
      count = unsafe try file.read(into: UnsafeMutableRawBufferPointer(buffer), from: 0)
    }
    self = count == capacity ? read : read.slice(..<count)
  }

  /// Creates a secret of `count` zero bytes, which a closure overwrites.
  ///
  /// The closure must not keep the buffer.
  public init<Failure: Error>(
    count: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    memory = SecretMemory(count: count)
    unsafe try fill(memory.bytes)
  }

  /// This secret, copied if necessary to memory that the kernel wipes in a forked child.
  var wipedByForking: Secret {
    if memory.arena.isWipedByForking { return self }
    let wiped = SecretMemory(count: count, in: .wipedByForking)
    unsafe copy(to: wiped.bytes)
    return Secret(memory: wiped)
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

  /// Returns at most 256 random bytes from the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> Secret {
    try unsafe mapErrors(
      Secret(count: count) { buffer throws(SystemError) in try unsafe KernelRandom.fill(buffer) })
  }

  func slice(_ range: some RangeExpression<Int>) -> Secret {
    // The bytes are copied inside the closure, and the subscript checks the range.
    unsafe withUnsafeBytes { unsafe Secret($0[range.relative(to: $0.indices)]) }
  }

  func followed(by other: Secret) -> Secret {
    unsafe Secret(count: count + other.count) { buffer in
      unsafe copy(to: buffer)
      unsafe other.copy(to: buffer, at: count)
    }
  }

  /// Copies the bytes to a buffer at an offset, behind which it must have space for them.
  func copy(to buffer: UnsafeMutableBufferPointer<UInt8>, at offset: Int = 0) {
    let part = unsafe UnsafeMutableBufferPointer(rebasing: buffer[offset...])
    unsafe withUnsafeBytes { unsafe UnsafeMutableRawBufferPointer(part).copyMemory(from: $0) }
  }
}

extension Secret: Equatable {
  /// Returns whether the bytes are equal, in a time that depends only on their number.
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

extension [UInt8] {
  /// Returns at most 256 random bytes from the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> [UInt8] {
    try mapErrors(KernelRandom.bytes(count))
  }
}

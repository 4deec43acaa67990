import CLibrary
import Concurrency

/// A block of memory for secret bytes, which is overwritten when it is released.
///
/// `@unchecked`: the bytes are written only before the block is shared.
@safe final class SecretMemory: @unchecked Sendable {
  let count: Int
  /// Whether the block is zeroed in a forked child.
  let isWipedByForking: Bool
  private let block: UnsafeMutableRawBufferPointer

  init(count: Int, isWipedByForking: Bool = false) {
    self.count = count
    self.isWipedByForking = isWipedByForking
    unsafe block = SecretArena.of(isWipedByForking).allocate(count)
  }

  deinit {
    unsafe SecretArena.of(isWipedByForking).release(block)
  }

  // Callers must retain this object while they use the pointer.
  var bytes: UnsafeMutableBufferPointer<UInt8> {
    unsafe UnsafeMutableBufferPointer(
      start: block.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
  }
}

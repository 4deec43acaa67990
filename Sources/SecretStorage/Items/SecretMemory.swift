import CLibrary
import Concurrency

/// A block of memory for secret bytes, overwritten when it is released.
///
/// `@unchecked`: the bytes are written only during initialisation, before the block is shared.
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

  // The block lives exactly as long as this object, which every user of the pointer retains.
  var bytes: UnsafeMutableBufferPointer<UInt8> {
    unsafe UnsafeMutableBufferPointer(
      start: block.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
  }
}

import CLibrary
import Concurrency

/// A block of memory for secret bytes, which is overwritten when it is released.
///
/// `@unchecked`: the bytes are written only before the block is shared.
@safe final class SecretMemory: @unchecked Sendable {
  let count: Int
  let arena: SecretArena
  private let block: UnsafeMutableRawBufferPointer

  init(count: Int, in arena: SecretArena = .inherited) {
    self.count = count
    self.arena = arena
    unsafe block = arena.allocate(count)
  }

  deinit { unsafe arena.release(block) }

  /// The bytes; callers must retain this object while they use the pointer.
  var bytes: UnsafeMutableBufferPointer<UInt8> {
    unsafe UnsafeMutableBufferPointer(
      start: block.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
  }
}

/// An allocator of locked memory, which divides large chunks into blocks to save system calls.
struct SecretArena {
  static let inherited = SecretArena(isWipedByForking: false)
  static let wipedByForking = SecretArena(isWipedByForking: true)

  // These sizes are in bytes.
  private static let smallestBlock = 64
  private static let largestBlock = 64 * 1024
  private static let pageSize = 4096
  private static let chunkSize = 256 * 1024

  /// Whether the kernel wipes the memory in a forked child, if it supports that.
  let isWipedByForking: Bool
  /// The addresses of free, zeroed blocks of each size: 64, 128, …, 65,536 bytes.
  private let pools = (0..<11).map { _ in AddressPool() }

  /// Returns a block of at least `count` bytes, all zero.
  func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let size = Self.size(for: count)
    // A forked child uses no block of its parent; it needs few secrets, for calls that throw.
    if size > Self.largestBlock || Fork.isChild { return unsafe map(size) }
    let address = pool(of: size).take {
      let start = UInt(bitPattern: unsafe map(Self.chunkSize).baseAddress!)
      return stride(from: start, to: start + UInt(Self.chunkSize), by: size).reversed()
    }
    return unsafe UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(bitPattern: address!), count: size)
  }

  func release(_ block: UnsafeMutableRawBufferPointer) {
    // The optimizer does not remove calls of `explicit_bzero`.
    unsafe explicit_bzero(block.baseAddress!, block.count)
    if Fork.isChild { return }
    if block.count > Self.largestBlock {
      unsafe munmap(block.baseAddress!, block.count)
    } else {
      pool(of: block.count).put(UInt(bitPattern: block.baseAddress!))
    }
  }

  private func pool(of size: Int) -> AddressPool {
    pools[(size / Self.smallestBlock).trailingZeroBitCount]
  }

  private static func size(for count: Int) -> Int {
    if count > largestBlock { return (count + pageSize - 1) / pageSize * pageSize }
    var size = smallestBlock
    while size < count { size *= 2 }
    return size
  }

  /// Maps zeroed pages, which are locked and excluded from core dumps if the kernel allows it.
  private func map(_ size: Int) -> UnsafeMutableRawBufferPointer {
    let start = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
      fatalError("Could not allocate \(size) bytes of memory for secrets.")
    }
    // Failures are ignored, so that apps work with a low limit on locked memory.
    unsafe mlock(start, size)
    unsafe madvise(start, size, MADV_DONTDUMP)
    // Kernels before 4.14 do not support this advice.
    if isWipedByForking { unsafe madvise(start, size, MADV_WIPEONFORK) }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
  }
}

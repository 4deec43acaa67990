import CLibrary
import Concurrency

/// An allocator of locked memory, with small blocks in shared chunks to avoid system calls.
struct SecretArena {
  private static let ordinary = SecretArena(isWipedByForking: false)
  private static let wiped = SecretArena(isWipedByForking: true)

  static func of(_ isWipedByForking: Bool) -> SecretArena {
    isWipedByForking ? wiped : ordinary
  }

  private static let smallest = 64
  private static let largest = 64 * 1024
  private static let page = 4096
  private static let chunk = 256 * 1024

  let isWipedByForking: Bool
  /// Addresses of free blocks of 64, 128, … 65,536 bytes, all zeroed.
  private let free = Lock(none, inForkedChild: { none })
  private static let none = Array(repeating: [UInt](), count: 11)

  func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let size = Self.size(for: count)
    guard size <= Self.largest else { return unsafe map(size) }
    let address = free.withLock { free in
      let list = (size / Self.smallest).trailingZeroBitCount
      if free[list].isEmpty {
        let start = UInt(bitPattern: unsafe map(Self.chunk).baseAddress!)
        free[list] = stride(from: start, to: start + UInt(Self.chunk), by: size).reversed()
      }
      return free[list].removeLast()
    }
    return unsafe UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(bitPattern: address), count: size)
  }

  func release(_ block: UnsafeMutableRawBufferPointer) {
    // The optimiser may not remove `explicit_bzero`.
    unsafe explicit_bzero(block.baseAddress!, block.count)
    if block.count > Self.largest {
      unsafe munmap(block.baseAddress!, block.count)
    } else {
      let address = UInt(bitPattern: block.baseAddress!)
      free.withLock { $0[(block.count / Self.smallest).trailingZeroBitCount].append(address) }
    }
  }

  /// Rounds up to a power of two for small blocks, and to whole pages for larger ones.
  private static func size(for count: Int) -> Int {
    if count > largest { return (count + page - 1) / page * page }
    var size = smallest
    while size < count { size *= 2 }
    return size
  }

  private func map(_ size: Int) -> UnsafeMutableRawBufferPointer {
    let start = unsafe mmap(
      nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
      fatalError("Mapping \(size) bytes of memory for secrets failed.")
    }
    // Both are best effort: a low limit on locked memory must not keep an app from working.
    unsafe mlock(start, size)
    unsafe madvise(start, size, MADV_DONTDUMP)
    // Kernels before 4.14 do not support it.
    if isWipedByForking { unsafe madvise(start, size, MADV_WIPEONFORK) }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
  }
}

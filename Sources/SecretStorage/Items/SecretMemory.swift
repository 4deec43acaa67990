import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A block of memory for secret bytes, overwritten when it is released.
///
/// `@unchecked`: the bytes are written only while the block is being made, before anyone else has it.
@safe final class SecretMemory: @unchecked Sendable {
  let count: Int
  private let block: UnsafeMutableRawBufferPointer

  init(count: Int) {
    self.count = count
    unsafe block = SecretArena.shared.allocate(count)
  }

  deinit {
    unsafe SecretArena.shared.release(block)
  }

  // The block lives exactly as long as this object, which every user of the pointer holds.
  var bytes: UnsafeMutableBufferPointer<UInt8> {
    unsafe UnsafeMutableBufferPointer(
      start: block.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
  }
}

/// Hands out locked memory: small blocks from shared pages, so that a secret costs no system call.
private struct SecretArena {
  static let shared = SecretArena()

  private static let smallest = 64
  private static let largest = 64 * 1024
  private static let page = 4096
  private static let chunk = 256 * 1024

  /// Free blocks of 64, 128, … 65,536 bytes, as addresses, all zero.
  private let free = Lock(none, inForkedChild: { none })
  private static let none = Array(repeating: [UInt](), count: 11)

  func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let size = Self.size(for: count)
    guard size <= Self.largest else { return unsafe Self.map(size) }
    let address = free.withLock { free in
      let list = (size / Self.smallest).trailingZeroBitCount
      if free[list].isEmpty {
        let start = UInt(bitPattern: unsafe Self.map(Self.chunk).baseAddress!)
        free[list] = stride(from: start, to: start + UInt(Self.chunk), by: size).reversed()
      }
      return free[list].removeLast()
    }
    return unsafe UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(bitPattern: address), count: size)
  }

  func release(_ block: UnsafeMutableRawBufferPointer) {
    // `explicit_bzero` is what the optimiser may not leave out.
    unsafe explicit_bzero(block.baseAddress!, block.count)
    if block.count > Self.largest {
      unsafe munmap(block.baseAddress!, block.count)
    } else {
      let address = UInt(bitPattern: block.baseAddress!)
      free.withLock { $0[(block.count / Self.smallest).trailingZeroBitCount].append(address) }
    }
  }

  /// The next power of two up to the largest small block, whole pages beyond.
  private static func size(for count: Int) -> Int {
    if count > largest { return (count + page - 1) / page * page }
    var size = smallest
    while size < count { size *= 2 }
    return size
  }

  private static func map(_ size: Int) -> UnsafeMutableRawBufferPointer {
    let start = unsafe mmap(
      nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
      fatalError("There is no memory for a secret of \(size) bytes.")
    }
    // Both are best effort: a small limit on locked memory must not keep an app from working.
    unsafe mlock(start, size)
    unsafe madvise(start, size, MADV_DONTDUMP)
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
  }
}

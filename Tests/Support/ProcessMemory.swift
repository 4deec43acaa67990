package import CLibrary
import StorageInternals

/// The memory of another process that the process itself can write to.
package struct ProcessMemory: ~Copyable {
  /// Whether this process may read a child's memory, which needs the right to trace it, ptrace(2),
  /// and no thread sanitizer, which maps terabytes.
  package static let isReadable: Bool = {
    if ThreadSanitizer.isActive { return false }
    do {
      let child = try ChildProcess("/bin/sleep", ["60"])
      _ = try ProcessMemory(of: child.identifier)
      return true
    } catch {
      return false
    }
  }()

  // `void *memmem(const void *, size_t, const void *, size_t)`, which the C module hides.
  private typealias Find =
    @convention(c) (UnsafeRawPointer, Int, UnsafeRawPointer, Int) -> UnsafeRawPointer?
  private static let find = unsafe unsafeBitCast(dlsym(nil, "memmem")!, to: Find.self)

  // The most that one read returns of a file without a size.
  private static let chunk = 65536

  private let memory: File
  private let ranges: [Range<Int>]

  package init(of process: pid_t) throws {
    // A line begins with "7f0000000000-7f0000021000 rw-p".
    let lines = try Self.maps(of: process).split(separator: "\n")
    let ranges: [Range<Int>] = lines.compactMap { line in
      let words = line.split(separator: " ")
      guard words[1].hasPrefix("rw") else { return nil }
      let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      return ends[0]..<ends[1]
    }
    let memory = try FileSystem().open("/proc/\(process)/mem", O_RDONLY)
    self.memory = memory
    self.ranges = ranges
  }

  /// Reads the whole list, which the kernel generates in pieces; Foundation reads the first one.
  private static func maps(of process: pid_t) throws -> String {
    let file = try FileSystem().open("/proc/\(process)/maps", O_RDONLY)
    var text: [UInt8] = []
    while true {
      let piece = try file.read(from: text.count, count: 4096)
      if piece.isEmpty { return String(decoding: text, as: UTF8.self) }
      text += piece
    }
  }

  /// Returns the names of the needles whose bytes occur in the memory.
  package func names(of needles: [(name: String, bytes: [UInt8])]) -> Set<String> {
    let overlap = (needles.map(\.bytes.count).max() ?? 1) - 1
    var found: Set<String> = []
    for range in ranges {
      for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.chunk - overlap) {
        let bytes = bytes(start..<min(start + Self.chunk, range.upperBound))
        for (name, needle) in needles {
          // The counts are those of the arrays.
          let place = unsafe Self.find(bytes, bytes.count, needle, needle.count)
          if unsafe place != nil { found.insert(name) }
        }
      }
    }
    return found
  }

  /// Returns no bytes if the process has unmapped them meanwhile.
  private func bytes(_ range: Range<Int>) -> [UInt8] {
    do { return try memory.read(from: range.lowerBound, count: range.count) } catch { return [] }
  }
}

extension ChildProcess {
  package var isStopped: Bool { get throws { try StartedProcess.isStopped(identifier) } }
}

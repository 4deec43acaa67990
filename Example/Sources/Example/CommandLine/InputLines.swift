#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The lines of standard input, as they come.
struct InputLines {
  private static let newline = UInt8(ascii: "\n")

  private var bytes: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  /// Up to where there is no newline from there on.
  private var searched = 0
  private var isAtEnd = false

  /// The next line that was read, without its newline; nil when none is there yet.
  mutating func next() -> ArraySlice<UInt8>? {
    guard let end = bytes[searched...].firstIndex(of: Self.newline) else {
      searched = bytes.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
    }
    return bytes[start..<end]
  }

  /// Waits for more; false when there is none.
  ///
  /// The last line needs no newline.
  mutating func read() throws(Failure) -> Bool {
    if isAtEnd { return false }
    bytes.removeFirst(start)
    searched -= start
    start = 0
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe fill(&piece, piece.count)
      if count > 0 {
        bytes += piece[..<count]
        return true
      }
      if count == 0 {
        isAtEnd = true
        if bytes.isEmpty { return false }
        bytes.append(Self.newline)
        return true
      }
      if errno != EINTR {
        throw Failure("Standard input cannot be read: \(SystemCall.reason).")
      }
    }
  }
}

/// `read`, which means another function inside of a type that has one; the caller has the room.
private func fill(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
  unsafe read(STDIN_FILENO, start, count)
}

import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Reads secrets from files and pipes, without a copy outside of protected memory.
enum SecretInput {
  /// The most that a store keeps in one item.
  private static let limit = 16 * 1024 * 1024

  /// The content of standard input.
  static func standardInput() throws(Failure) -> Secret {
    try read(STDIN_FILENO, named: "standard input")
  }

  /// The content of a file, which may be a pipe.
  static func file(_ path: String) throws(Failure) -> Secret {
    // The path is copied by the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Failure("\(path) cannot be opened: \(SystemCall.reason).")
    }
    defer { close(descriptor) }
    return try read(descriptor, named: path)
  }

  /// All that is there, without one newline at its end.
  private static func read(_ descriptor: Int32, named name: String) throws(Failure) -> Secret {
    var content = Secret([])
    var capacity = 4096
    while true {
      var filled = content.count
      let read = content
      content = unsafe try Secret(count: capacity) { buffer throws(Failure) in
        // The buffer is used inside of the closure alone.
        unsafe read.withUnsafeBytes {
          unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0)
        }
        while filled < capacity {
          let count = unsafe fill(descriptor, buffer.baseAddress! + filled, capacity - filled)
          if count == 0 { break }
          if count > 0 {
            filled += count
          } else if errno != EINTR {
            throw Failure("\(name) cannot be read: \(SystemCall.reason).")
          }
        }
      }
      if filled < capacity { return content.prefix(filled).withoutNewline }
      if capacity > limit { throw Failure("\(name) has more than 16 MiB.") }
      capacity *= 2
    }
  }
}

/// `read`, which means another function inside of a type that has one; the caller has the room.
private func fill(_ descriptor: Int32, _ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
  unsafe read(descriptor, start, count)
}

extension Secret {
  /// The first bytes.
  func prefix(_ count: Int) -> Secret {
    // The bytes are copied inside of the closure.
    unsafe withUnsafeBytes { unsafe Secret($0.prefix(count)) }
  }

  /// The bytes without one newline at their end.
  var withoutNewline: Secret {
    // The bytes are copied inside of the closure.
    unsafe withUnsafeBytes { bytes in
      unsafe bytes.last == UInt8(ascii: "\n") ? Secret(unsafe bytes.dropLast()) : self
    }
  }
}

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Reads standard input line by line, and no byte more: what follows is for whoever comes next.
enum LineInput {
  private static let limit = 64 * 1024

  /// The next line without its newline, or nil at the end of the input.
  static func next() throws(Failure) -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      // The byte is a variable of this call.
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw Failure("Standard input cannot be read: \(SystemCall.reason).") }
      if count == 0 { return bytes.isEmpty ? nil : try text(bytes) }
      if byte == UInt8(ascii: "\n") { return try text(bytes) }
      if bytes.count == limit { throw Failure("A line of standard input has more than 64 KiB.") }
      bytes.append(byte)
    }
  }

  private static func text(_ bytes: [UInt8]) throws(Failure) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("Standard input is not text in UTF-8.")
    }
    return text
  }
}

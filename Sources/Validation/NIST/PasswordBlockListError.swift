#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Why a block list could not be read from a file.
public enum PasswordBlockListError: Error, Hashable, Sendable {
  /// A system call failed on the file at the path, with this error number.
  case systemCall(String, path: String, code: Int32)
  /// The file at the path has more bytes than are read.
  case tooLarge(path: String, limit: Int)
  /// The file at the path is not a text: a line of it has a NUL, or is longer than passwords are.
  case notText(path: String, line: Int)
}

extension PasswordBlockListError: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .systemCall(let call, let path, let code):
      "The block list cannot be read: \(call) of \(path): \(Self.message(for: code)) "
        + "(errno \(code)). Check the path and its permissions."
    case .tooLarge(let path, let limit):
      "The block list \(path) has more than \(limit) bytes. Use the most common passwords of it: "
        + "the rarer ones bring little."
    case .notText(let path, let line):
      "The block list \(path) is not a text: line \(line) has a NUL or more than "
        + "\(PasswordBlockList.longestLine) bytes. Use a file of UTF-8 with one password a line."
    }
  }

  /// The C library's text for an error number.
  private static func message(for code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      unsafe strerror_r(code, buffer.baseAddress!, buffer.count) == 0
        ? unsafe String(cString: buffer.baseAddress!) : "unknown error"
    }
  }
}

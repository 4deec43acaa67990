import CLibrary

/// An error in reading a block list from a file.
public enum PasswordBlockListError: Error, Hashable, Sendable {
  /// A system call failed with an error number.
  case systemCall(String, path: String, code: Int32)
  /// The size of the file exceeds the limit in bytes.
  case tooLarge(path: String, limit: Int)
  /// The file is not text, because a line contains a NUL character or is too long.
  case notText(path: String, line: Int)
}

extension PasswordBlockListError: CustomStringConvertible {
  /// The problem and the solution.
  public var description: String {
    switch self {
    case .systemCall(let call, let path, let code):
      "The block list cannot be read: \(call) of \(path): \(Self.message(for: code)) "
        + "(errno \(code)). Check the path and its permissions."
    case .tooLarge(let path, let limit):
      "The block list \(path) has more than \(limit) bytes. Remove the least common passwords: "
        + "they improve security little."
    case .notText(let path, let line):
      "The block list \(path) is not text: line \(line) contains a NUL or has more than "
        + "\(PasswordBlockList.longestLine) bytes. Use a UTF-8 file with one password per line."
    }
  }

  /// Returns the message of the C library for an error number.
  private static func message(for code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      unsafe strerror_r(code, buffer.baseAddress!, buffer.count) == 0
        ? unsafe String(cString: buffer.baseAddress!) : "unknown error"
    }
  }
}

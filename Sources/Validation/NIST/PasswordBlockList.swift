import CLibrary

/// A list of passwords that are forbidden because they are common, expected or compromised.
///
/// Only whole passwords are compared, as NIST SP 800-63B-4 requires. Canonically equivalent strings
/// are equal. A list needs about 16 bytes for each password of up to 15 bytes, or more if longer.
public struct PasswordBlockList: Sendable {
  /// A rule for comparing passwords.
  public enum Comparison: Hashable, Sendable {
    /// Passwords are equal if the strings are equal (`==`), as NIST requires.
    case exact
    /// The case of the letters A to Z is ignored.
    case ignoringCase
  }

  /// The maximum size of a file, in bytes: 64 MiB, about seven million passwords.
  public static let largestFile = 1 << 26
  /// The maximum length of a line, in bytes.
  static let longestLine = 4096

  private var passwords: Set<String> = []
  /// The rule for comparing passwords.
  public let comparison: Comparison
  /// The number of lines that were skipped because they are not valid UTF-8.
  public internal(set) var unreadableLineCount = 0

  /// Creates a list of passwords, which must be normalized in the same way as those to check.
  public init(_ passwords: some Sequence<String>, comparison: Comparison = .exact) {
    self.comparison = comparison
    insert(passwords)
  }

  /// The number of distinct passwords.
  public var count: Int { passwords.count }

  /// Returns whether the list contains a password.
  public func contains(_ password: String) -> Bool {
    passwords.contains(comparison.key(for: password))
  }

  /// Adds passwords, such as the names of the service and the user.
  public mutating func insert(_ newPasswords: some Sequence<String>) {
    for password in newPasswords { passwords.insert(comparison.key(for: password)) }
  }

  /// Creates a list from a UTF-8 text file with one password per line.
  ///
  /// Lines end with LF or CR LF. White space is part of the password. A byte order mark at the
  /// start, empty lines, and the comments of John the Ripper's list, which begin with `#!comment:`,
  /// are skipped. Lines that are not valid UTF-8 are counted in ``unreadableLineCount``.
  ///
  /// - Throws: ``PasswordBlockListError`` if the file cannot be read, has more than ``largestFile``
  ///   bytes, or is not text: a line contains a NUL character or has more than 4,096 bytes.
  public init(contentsOf path: String, comparison: Comparison = .exact) throws {
    self.init([], comparison: comparison)
    let bytes = try Self.bytes(of: path)
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var rest = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    var line = 0
    while !rest.isEmpty {
      line += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      var content = rest[..<end]
      rest = rest[end...].dropFirst()
      if content.last == UInt8(ascii: "\r") { content.removeLast() }
      if content.count > Self.longestLine || content.contains(0) {
        throw PasswordBlockListError.notText(path: path, line: line)
      }
      if content.isEmpty || content.starts(with: "#!comment:".utf8) { continue }
      if let password = String(validating: content, as: UTF8.self) {
        insert(CollectionOfOne(password))
      } else {
        unreadableLineCount += 1
      }
    }
  }

  private static func bytes(of path: String) throws(PasswordBlockListError) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { throw .system(call: "open", path: path, code: errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe readFully(file, into: $0) }
      guard let count else { throw .system(call: "read", path: path, code: errno) }
      bytes += chunk[..<count]
      if bytes.count > largestFile { throw .tooLarge(path: path, limit: largestFile) }
      if count < chunk.count { return bytes }
    }
  }
}

extension PasswordBlockList.Comparison {
  fileprivate func key(for password: String) -> String {
    if self == .exact { return password }
    // Setting the bit 0x20 turns uppercase letters into lowercase ones.
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return String(
      decoding: password.utf8.map { letters.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

/// An error that occurred while reading a block list from a file.
public enum PasswordBlockListError: Error, Hashable, Sendable {
  /// A system call failed with an error number.
  case system(call: String, path: String, code: Int32)
  /// The size of the file exceeds the limit in bytes.
  case tooLarge(path: String, limit: Int)
  /// The file is not text, because a line contains a NUL character or is too long.
  case notText(path: String, line: Int)
}

extension PasswordBlockListError: CustomStringConvertible {
  /// The problem and the solution.
  public var description: String {
    switch self {
    case .system(let call, let path, let code):
      "The block list cannot be read: \(call) of \(path): \(errorMessage(code)) "
        + "(errno \(code)). Check the path and its permissions."
    case .tooLarge(let path, let limit):
      "The block list \(path) has more than \(limit) bytes. Remove the least common passwords, "
        + "which contribute little to security."
    case .notText(let path, let line):
      "The block list \(path) is not text: line \(line) contains a NUL character or has more than "
        + "\(PasswordBlockList.longestLine) bytes. Use a UTF-8 file with one password per line."
    }
  }
}

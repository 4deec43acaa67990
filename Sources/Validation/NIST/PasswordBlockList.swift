import CLibrary

/// Forbidden passwords, which are common, expected or known to attackers.
///
/// Only whole passwords are compared, as NIST SP 800-63B-4 requires, never parts. Texts are equal
/// if they are canonically equivalent in Unicode. A list needs about 16 bytes for each password of
/// up to 15 bytes, and more for a longer one.
public struct PasswordBlockList: Sendable {
  /// The comparison of passwords.
  public enum Comparison: Hashable, Sendable {
    /// Exact comparison, which NIST requires.
    case exact
    /// Comparison that ignores the case of A to Z.
    case ignoringCase
  }

  private var passwords: Set<String>
  /// The comparison of passwords.
  public let comparison: Comparison
  /// The number of lines skipped because they are not UTF-8, so that they cannot be typed.
  public internal(set) var unreadableLineCount = 0

  /// Creates a list of passwords.
  ///
  /// - Parameters:
  ///   - passwords: The forbidden passwords in the form in which they are compared: normalized, if
  ///     passwords are.
  ///   - comparison: The comparison of passwords.
  public init(_ passwords: some Sequence<String>, comparison: Comparison = .exact) {
    self.comparison = comparison
    self.passwords = []
    insert(passwords)
  }

  /// The number of different passwords.
  public var count: Int { passwords.count }

  /// Returns whether the list contains a password.
  public func contains(_ password: String) -> Bool {
    passwords.contains(comparison.form(of: password))
  }

  /// Adds passwords, such as the name of the service and the user's name.
  public mutating func insert(_ more: some Sequence<String>) {
    for password in more { passwords.insert(comparison.form(of: password)) }
  }
}

extension PasswordBlockList.Comparison {
  fileprivate func form(of password: String) -> String {
    if self == .exact { return password }
    var form = String.UnicodeScalarView()
    for scalar in password.unicodeScalars {
      // The bit turns capitals into small letters.
      form.append(
        ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
    }
    return String(form)
  }
}

extension PasswordBlockList {
  /// The maximum size of a file, in bytes: 64 MiB, about seven million passwords.
  public static let largestFile = 1 << 26
  /// The maximum length of a line, in bytes.
  static let longestLine = 4096
  private static let chunk = 1 << 16

  /// Reads a list from a UTF-8 text file with one password per line.
  ///
  /// Lines end in LF or CR LF. White space belongs to the password. Empty lines, a leading byte
  /// order mark, and comments of John the Ripper's list, which begin with `#!comment:`, are
  /// skipped. Lines that are not UTF-8 are skipped and counted in ``unreadableLineCount``.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - comparison: The comparison of passwords.
  /// - Throws: ``PasswordBlockListError`` if the file cannot be read, has more than ``largestFile``
  ///   bytes, or is not text.
  public init(
    contentsOf path: String, comparison: Comparison = .exact
  ) throws {
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
    if file < 0 { throw .systemCall("open", path: path, code: errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    while bytes.count <= largestFile {
      var code: Int32 = 0
      let chunk = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, count in
        let read = unsafe read(file, buffer.baseAddress, buffer.count)
        if read < 0 { code = errno }
        count = max(read, 0)
      }
      if code == EINTR { continue }
      if code != 0 { throw .systemCall("read", path: path, code: code) }
      if chunk.isEmpty { return bytes }
      bytes += chunk
    }
    throw .tooLarge(path: path, limit: largestFile)
  }
}

/// A reason why a block list could not be read from a file.
public enum PasswordBlockListError: Error, Hashable, Sendable {
  /// A system call failed for the file at the path, with this error number.
  case systemCall(String, path: String, code: Int32)
  /// The file at the path exceeds the limit, in bytes.
  case tooLarge(path: String, limit: Int)
  /// The file at the path is not text: a line contains a NUL or is longer than any password.
  case notText(path: String, line: Int)
}

extension PasswordBlockListError: CustomStringConvertible {
  /// The problem and its solution.
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

  /// Returns the C library's text for an error number.
  private static func message(for code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      unsafe strerror_r(code, buffer.baseAddress!, buffer.count) == 0
        ? unsafe String(cString: buffer.baseAddress!) : "unknown error"
    }
  }
}

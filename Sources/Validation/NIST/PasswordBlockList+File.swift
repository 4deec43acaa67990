#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension PasswordBlockList {
  /// So many bytes of a file are read at most, 64 MiB, which are about seven million passwords.
  public static let largestFile = 1 << 26
  /// So many bytes may be in a line.
  static let longestLine = 4096
  private static let chunk = 1 << 16

  /// Reads a list from a text file in UTF-8 with one password a line.
  ///
  /// Lines end in LF or CR LF. White space belongs to the password. Empty lines, a byte order mark at the
  /// beginning, and the comments of the list of John the Ripper, which begin with `#!comment:`, are left
  /// out. Lines that are not UTF-8 are left out and counted in ``unreadableLineCount``.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - comparison: How passwords are compared.
  /// - Throws: ``PasswordBlockListError`` if the file cannot be read, has more than ``largestFile`` bytes,
  ///   or is no text.
  public init(
    contentsOf path: String, comparison: Comparison = .exact
  ) throws(PasswordBlockListError) {
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
        throw .notText(path: path, line: line)
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

import StorageInternals
import ValueFormats

/// The content of a file when it was read or written.
final class FileDocument: Sendable {
  let revision: Int64
  let parsed: Result<ParsedFile, KeyValueStoreError>
  /// The file's status; nil if there was no file.
  let status: FileStatus?
  /// Whether every later change of the file changes its status.
  ///
  /// False if the file was changed within the tick of the kernel's clock in which it was read.
  let isSettled: Bool
  /// The file, open for reading.
  ///
  /// While it is open, its inode number is not reused. A new file with the same inode number and
  /// size could have the same status within one tick of the clock.
  private let file: File?

  init(
    revision: Int64, _ parsed: Result<ParsedFile, KeyValueStoreError>, status: FileStatus?,
    isSettled: Bool, file: consuming File?
  ) {
    self.revision = revision
    self.parsed = parsed
    self.status = status
    self.isSettled = isSettled
    self.file = consume file
  }

  /// Creates the document of a missing file.
  convenience init(absentAt revision: Int64) {
    self.init(
      revision: revision, .success(ParsedFile(entries: [])), status: nil, isSettled: true,
      file: nil)
  }

  var contents: KeyValueContents {
    get throws(KeyValueStoreError) {
      KeyValueContents(entries: try parsed.get().entries, revision: revision)
    }
  }

  /// Whether another document is of the same file, without a write in between.
  func isSame(as other: FileDocument) -> Bool {
    guard let status, let others = other.status else { return status == other.status }
    return status.isOfSameContent(as: others)
  }

  /// Whether another document has the same entries with the same spelling.
  func hasContent(of other: FileDocument) throws(KeyValueStoreError) -> Bool {
    let (own, others) = try (parsed.get(), other.parsed.get())
    return own.surroundings == others.surroundings
      && own.entries.elementsEqual(others.entries) { $0.key == $1.key && $0.text == $1.text }
  }

  /// Whether this document is current for a file's status; nil means a missing file.
  func isCurrent(for other: FileStatus?) -> Bool {
    guard let status, let other else { return status == other }
    return isSettled && status.isOfSameContent(as: other)
  }
}

extension FileStatus {
  /// Whether the file was not written between two reads of its status.
  func isOfSameContent(as other: FileStatus) -> Bool {
    isUnwritten(since: other) && changed == other.changed
  }
}

/// A place in a text, counted as in editors.
struct TextPlace: Hashable {
  /// From 1; a line ends with LF, CR, or CRLF.
  private(set) var line = 1
  /// From 1, in code points.
  private(set) var column = 1

  /// Finds the place of a byte of UTF-8, or of the end.
  init(of offset: Int, in bytes: [UInt8]) {
    var previous: UInt8 = 0
    for byte in bytes.prefix(offset) {
      switch byte {
      case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        line += 1
        column = 1
      // Only the first byte of a code point counts.
      case 0x80...0xBF: break
      default: column += 1
      }
      previous = byte
    }
  }
}

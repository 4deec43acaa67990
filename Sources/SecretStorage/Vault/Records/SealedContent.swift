/// The sealed bytes of secrets, in memory or in the log that they were read from.
///
/// Large secrets stay in the log, so that a vault of them takes little memory.
enum SealedContent: Sendable {
  case memory(ArraySlice<UInt8>)
  case stored(LogReader, offset: Int, count: Int)

  /// The average size of a record's secrets from which they stay in the log, in bytes.
  private static let storedSize = 4096

  /// The secrets at the end of a record that was read, for the given number of items.
  init(_ bytes: ArraySlice<UInt8>, of record: LogRecord, itemCount: Int) {
    if let reader = record.reader, bytes.count / max(itemCount, 1) >= Self.storedSize {
      let offset = record.offset + bytes.startIndex - record.payload.startIndex
      self = .stored(reader, offset: offset, count: bytes.count)
    } else {
      // A copy, because a slice would keep the whole file in memory.
      self = .memory(Array(bytes)[...])
    }
  }

  var count: Int {
    switch self {
    case .memory(let bytes): bytes.count
    case .stored(_, _, let count): count
    }
  }

  var isStored: Bool {
    if case .stored = self { true } else { false }
  }

  subscript(range: Range<Int>) -> SealedContent {
    switch self {
    case .memory(let bytes): .memory(bytes.dropFirst(range.lowerBound).prefix(range.count))
    case .stored(let reader, let offset, _):
      .stored(reader, offset: offset + range.lowerBound, count: range.count)
    }
  }

  /// The content without other content that it may share memory with.
  var copy: SealedContent {
    if case .memory(let bytes) = self { .memory(Array(bytes)[...]) } else { self }
  }

  /// Returns the bytes, which are read from the log if they are stored there.
  func bytes() throws(SecretStoreError) -> ArraySlice<UInt8> {
    switch self {
    case .memory(let bytes): bytes
    case .stored(let reader, let offset, let count): try reader(offset, count)
    }
  }
}

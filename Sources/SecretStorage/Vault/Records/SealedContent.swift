import StorageInternals

/// The sealed bytes of secrets, in memory or in the log that they were read from.
///
/// Large secrets stay in the log, so that a vault of them takes little memory.
enum SealedContent: Sendable {
  case memory(ArraySlice<UInt8>)
  case stored(any RecordSource, offset: Int, count: Int)

  /// The average size of a record's secrets from which they stay in the log, in bytes.
  private static let storedSize = 4096

  /// The secrets at the end of a record that was read, for the given number of items.
  init(_ bytes: ArraySlice<UInt8>, of record: LogRecord, itemCount: Int) {
    if let source = record.source, bytes.count / max(itemCount, 1) >= Self.storedSize {
      let offset = record.offset + bytes.startIndex - record.payload.startIndex
      self = .stored(source, offset: offset, count: bytes.count)
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

  /// The part in a range of offsets.
  subscript(range: Range<Int>) -> SealedContent {
    switch self {
    case .memory(let bytes): .memory(bytes.dropFirst(range.lowerBound).prefix(range.count))
    case .stored(let source, let offset, _):
      .stored(source, offset: offset + range.lowerBound, count: range.count)
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
    case .stored(let source, let offset, let count): try source.bytes(at: offset, count: count)
    }
  }
}

/// An open log, from which parts of its records can be read later, even after its replacement.
protocol RecordSource: Sendable {
  /// Returns bytes at an offset.
  ///
  /// - Throws: `corrupted` if the log is shorter.
  func bytes(at offset: Int, count: Int) throws(SecretStoreError) -> ArraySlice<UInt8>
}

extension FileRecordLog {
  /// An open file of the log, which can be read even after its replacement.
  final class OpenFile: RecordSource {
    let file: File

    init(_ file: consuming File) {
      self.file = file
    }

    func bytes(at offset: Int, count: Int) throws(SecretStoreError) -> ArraySlice<UInt8> {
      let bytes = try mapErrors { () throws(SystemError) in
        try file.read(from: offset, count: count)
      }
      guard bytes.count == count else {
        throw .corrupted("\(file.path) was cut off after it was read")
      }
      return bytes[...]
    }
  }
}

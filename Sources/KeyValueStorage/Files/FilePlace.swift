import StorageInternals
import ValueFormats

/// A part of the file of a store, for a message.
struct FilePart: Sendable {
  enum Location: Sendable {
    case key
    /// The value, or a part of it.
    case value([ValueStep])
    /// Offsets in the value: that of an error, and for a duplicate key that of the first one.
    case offset(Int, first: Int?)
  }

  let key: StoredKey
  /// The bytes of the whole value.
  let value: EncodedValue
  let location: Location
}

/// A place in a file, for a message.
public struct FilePlace: Hashable, Sendable {
  /// The path of the file, with symbolic links resolved.
  public let path: String
  /// The line, from 1; nil in a binary file, or if the part is not in the file, or no longer.
  public let line: Int?
  /// The column in code points, from 1; nil if the line is.
  public let column: Int?

  /// Creates a place.
  public init(path: String, line: Int? = nil, column: Int? = nil) {
    self.path = path
    self.line = line
    self.column = column
  }

  init(_ path: String, _ position: TextPosition?) {
    self.init(path: path, line: position?.line, column: position?.column)
  }

  /// The line and the column, such as `line 7, column 14`; nil if they are not known.
  package var position: String? {
    if let line, let column { "line \(line), column \(column)" } else { nil }
  }
}

extension FilePlace: CustomStringConvertible {
  /// The path and the position, such as `settings.json, line 7, column 14`, on one line.
  public var description: String {
    path.shown(atMost: 4096) + (position.map { ", \($0)" } ?? "")
  }
}

extension KeyValueBackend {
  /// Returns the errors for failures to decode values, with their places in the file.
  func errors(for failures: [DecodingFailure]) -> [KeyValueStoreError] {
    if failures.isEmpty { return [] }
    let places = (self as? FileBackend)?.places(of: failures.map(\.part))
    return failures.enumerated().map { $1.error(at: places?[$0]) }
  }
}

// Finding the lines of values.
extension FileBackend {
  /// A part's place, and that of the first of two equal keys.
  typealias PartPlace = (place: FilePlace, first: TextPosition?)

  /// Returns the places of parts of the file, which is read again once for all of them.
  func places(of parts: [FilePart]) -> [PartPlace] {
    let path = resolvedPath
    let unknown: PartPlace = (FilePlace(path: path), nil)
    // Without a place, a message still has the key.
    guard format != .binary, let bytes = try? content(of: path),
      let file = try? coding.parse(bytes)
    else { return parts.map { _ in unknown } }
    let keys = Set(parts.map(\.key))
    var entries: [StoredKey: KeyValueEntry] = [:]
    for entry in file.entries where keys.contains(entry.key) { entries[entry.key] = entry }
    let offsets = parts.map { part -> (offset: Int, first: Int?)? in
      guard let entry = entries[part.key], entry.value == part.value else { return nil }
      let start = entry.value.startIndex
      return switch part.location {
      case .key: (entry.text.startIndex + coding.offsetOfKey(in: entry), nil)
      case .value(let steps): (start + coding.offset(of: steps, in: entry.value), nil)
      case .offset(let offset, let first): (start + offset, first.map { start + $0 })
      }
    }
    let all = offsets.flatMap { [$0?.offset, $0?.first].compactMap(\.self) }
    let positions = TextPosition.all(of: all, in: bytes)
    return offsets.map { found in
      guard let found else { return unknown }
      return (FilePlace(path, positions[found.offset]), found.first.flatMap { positions[$0] })
    }
  }

  private func content(of path: String) throws(KeyValueStoreError) -> [UInt8] {
    guard let status = try status(of: path) else { return [] }
    // Opening anything other than a regular file may block.
    try requireReadable(status)
    guard let file = try open(path) else { return [] }
    return try convertingErrors { () throws(SystemError) in
      try file.read(from: 0, count: FormatLimits.fileSize)
    }
  }
}

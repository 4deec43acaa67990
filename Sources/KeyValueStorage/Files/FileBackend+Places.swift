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

/// The place of a part of a file; only the path is known in a binary file, or after a change.
struct FilePlace: Sendable {
  let path: String
  var position: TextPosition?
  /// The place of the first of two equal keys.
  var first: TextPosition?
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
  /// Returns the places of parts of the file, which is read again once for all of them.
  func places(of parts: [FilePart]) -> [FilePlace] {
    let path = resolvedPath
    var places = parts.map { _ in FilePlace(path: path) }
    // Without a place, a message still has the key.
    guard format != .binary, let bytes = try? content(of: path),
      let file = try? coding.parse(bytes)
    else { return places }
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
    for (index, found) in offsets.enumerated() {
      guard let found else { continue }
      places[index].position = positions[found.offset]
      places[index].first = found.first.flatMap { positions[$0] }
    }
    return places
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

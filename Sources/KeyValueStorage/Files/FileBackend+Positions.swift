import Concurrency
import ValueFormats

/// The text of a file, in which the positions of values are looked up.
struct FileText: Sendable {
  fileprivate let entries: KeyValueContents
  fileprivate let positions: TextPosition.Table

  /// Creates a text from its source, or from the entries if the store wrote the file.
  init?(_ file: ParsedFile, source: [UInt8]?, format: any StoredFormat) {
    if let source {
      entries = KeyValueContents(entries: file.entries, revision: 0)
      positions = TextPosition.Table(source)
      return
    }
    let text = format.join(file.entries, file.enclosingText)
    do throws(FormatError) {
      entries = KeyValueContents(entries: try format.parse(text).entries, revision: 0)
      positions = TextPosition.Table(text)
    } catch {
      return nil
    }
  }
}

extension FileBackend {
  /// Returns the text of the file and the offset of a key's value; nil if it has another value.
  private func text(
    with value: EncodedValue, of key: StoredKey
  ) -> (positions: TextPosition.Table, start: Int, value: EncodedValue)? {
    if format == .binaryPropertyList { return nil }
    return state.withLock { state in
      if state.text == nil, let snapshot = state.snapshot, case .success(let file) = snapshot.parsed
      {
        state.text = FileText(file, source: snapshot.source, format: storedFormat)
      }
      // A slice of the text has the offsets of the text as its indices.
      guard let text = state.text, let found = text.entries[key], found == value else { return nil }
      return (text.positions, found.startIndex, found)
    }
  }

  func position(ofByte offset: Int, in value: EncodedValue, of key: StoredKey) -> TextPosition? {
    text(with: value, of: key).map { $0.positions[$0.start + offset] }
  }

  func positions(
    of paths: [ValuePath], in value: EncodedValue, of key: StoredKey
  ) -> [TextPosition?] {
    let unknown = [TextPosition?](repeating: nil, count: paths.count)
    guard let text = text(with: value, of: key) else { return unknown }
    let found = PathNode(paths)
    do throws(FormatError) {
      try storedFormat.locate(found, in: text.value)
    } catch {
      // A key has an invalid escape. The values before it have been found.
    }
    return paths.map { path in found.offset(of: path).map { text.positions[text.start + $0] } }
  }
}

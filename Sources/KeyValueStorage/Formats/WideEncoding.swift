/// An encoding other than UTF-8 that a file's text seems to be in.
enum WideEncoding: String {
  case utf16LittleEndian = "UTF-16 (little endian)"
  case utf16BigEndian = "UTF-16 (big endian)"
  case utf32LittleEndian = "UTF-32 (little endian)"
  case utf32BigEndian = "UTF-32 (big endian)"

  /// Looks for a byte order mark, or for the zeros that each encoding puts around an opening brace
  /// or angle bracket.
  ///
  /// The first two characters of JSON and of XML are ASCII, so the first four bytes tell.
  init?(of file: [UInt8]) {
    let start = Array(file.prefix(4))
    switch start.map({ $0 == 0 }) {
    case _ where start == [0xFF, 0xFE, 0, 0], [false, true, true, true]: self = .utf32LittleEndian
    case _ where start == [0, 0, 0xFE, 0xFF], [true, true, true, false]: self = .utf32BigEndian
    case _ where start.starts(with: [0xFF, 0xFE]), [false, true, false, true]:
      self = .utf16LittleEndian
    case _ where start.starts(with: [0xFE, 0xFF]), [true, false, true, false]:
      self = .utf16BigEndian
    default: return nil
    }
  }
}

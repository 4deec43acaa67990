import Foundation

typealias ListFormat = PropertyListDecoder.PropertyListFormat

/// Returns a value as Foundation encodes it.
func encoded(_ value: some Encodable, _ format: ListFormat = .binary) throws -> Data {
  let encoder = PropertyListEncoder()
  encoder.outputFormat = format
  return try encoder.encode(value)
}

/// Writes a property list as Foundation's `UserDefaults` does.
func write(_ list: Any, _ format: ListFormat = .xml, to file: URL) throws {
  try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
    .write(to: file)
}

import Foundation
import TestSupport

/// Writes a property list as Foundation's `UserDefaults` does.
func write(_ list: Any, _ format: ListFormat = .xml, to file: URL) throws {
  try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
    .write(to: file)
}

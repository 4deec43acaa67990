package import FoundationEssentials

package typealias ListFormat = PropertyListDecoder.PropertyListFormat

/// Returns a value as Foundation encodes it.
package func encoded(_ value: some Encodable, _ format: ListFormat = .binary) throws -> Data {
  let encoder = PropertyListEncoder()
  encoder.outputFormat = format
  return try encoder.encode(value)
}

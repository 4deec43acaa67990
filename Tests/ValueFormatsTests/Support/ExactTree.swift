import FoundationEssentials

@testable import ValueFormats

/// Returns a value as text that is unique to the value: equal for any two NaNs, and different for
/// strings of different bytes.
///
/// Numbers in text form become the real numbers they spell, for comparison with Python's result.
func exact(_ tree: ValueTree) -> String {
  switch tree {
  case .null(let depth): "n\(depth)"
  case .bool(let value): value ? "true" : "false"
  case .number(.integer(let value)): "i\(value)"
  case .number(.real(let value)): "r\(String(value.bitPattern, radix: 16))"
  case .number(.float(let value)): "f\(String(value.bitPattern, radix: 16))"
  case .number(.text(let spelling)): "t\(spelling)"
  case .string(let text): "s" + hexadecimal(text.utf8)
  case .data(let data): "x" + hexadecimal(data)
  case .date(let date): "d\(String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16))"
  case .duration(let duration): "a\(duration.attoseconds)"
  case .layered: "layered"
  case .array(let elements): "[" + elements.map(exact).joined(separator: ",") + "]"
  case .dictionary(let elements):
    "{"
      + elements.map { hexadecimal($0.string.utf8) + ":" + exact($1) }.sorted().joined(
        separator: ",")
      + "}"
  }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }.joined()
}

import FoundationEssentials

@testable import KeyValueStorage
@testable import ValueFormats

/// Returns a value as text that is unique to the value: different for strings of different bytes.
func exact(_ tree: ValueTree) -> String {
  switch tree {
  case .null(let depth): "n\(depth)"
  case .bool(let value): value ? "true" : "false"
  case .number(.integer(let value)): "i\(value)"
  case .number(.real(let value)): "r\(String(value.bitPattern, radix: 16))"
  case .number(.float(let value)): "f\(String(value.bitPattern, radix: 16))"
  case .number(.text(let spelling)): "t\(spelling)"
  case .string(let text): quoted(text)
  case .data(let data): "x" + hexadecimal(data)
  case .date(let date): "d\(String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16))"
  case .array(let elements): "[" + elements.map(exact).joined(separator: ",") + "]"
  case .dictionary(let elements):
    "{" + elements.map { quoted($0.string) + ":" + exact($1) }.sorted().joined(separator: ",") + "}"
  case .layered: exact(tree.plain)
  }
}

/// Returns the scalars of a text, in ASCII.
func quoted(_ text: String) -> String {
  let scalars = text.unicodeScalars.map { scalar in
    (" "..."~").contains(scalar) && scalar != "\"" && scalar != "\\"
      ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
  }
  return "\"\(scalars.joined())\""
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }.joined()
}

extension ValueTree {
  /// The value that a reader without Locket's escapes finds after writing this one in a format:
  /// integers of JSON in their spelling, and all other numbers as `Double`.
  func unescaped(in format: KeyValueFormat) -> ValueTree { written(in: format).asIs(in: format) }

  private func asIs(in format: KeyValueFormat) -> ValueTree {
    switch self {
    case .null(0) where format == .json: return self
    case .null(let depth): return .string(depth == 0 ? "$null" : "$null:\(depth)")
    case .number(.real(let value)): return .number(.real(value.isNaN ? .nan : value))
    case .number(.float(let value)):
      return .number(.real(value.isNaN ? .nan : Double(value)))
    case .number(.text(let spelling)) where spelling.contains(where: { ".eE".contains($0) }):
      return .number(.real(Double(spelling)!))
    case .string(let text): return .string(StoredKey(text).written(in: format).string)
    case .array(let elements): return .array(elements.map { $0.asIs(in: format) })
    case .dictionary(let elements):
      let entries = elements.map { ($0.written(in: format), $1.asIs(in: format)) }
      return .dictionary(Dictionary(uniqueKeysWithValues: entries))
    default: return self
    }
  }
}

extension StoredKey {
  /// The key as a format writes it.
  func written(in format: KeyValueFormat) -> StoredKey {
    format == .xml && !MarkupText.allows(string)
      ? StoredKey(EscapedString.ofForbidden(string)) : self
  }
}

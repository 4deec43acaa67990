import FoundationEssentials

@testable import ValueFormats

/// Values in a canonical notation, so that equal values have equal bytes: strings and keys in
/// hexadecimal, reals as their bits.
enum JSONLines {
  static func line(_ key: StoredKey, _ tree: ValueTree) -> String {
    hexadecimal(key.string.utf8) + " " + line(tree)
  }

  /// The JSON value that is expected for a tree, derived without JSONFormat.
  static func line(_ tree: ValueTree) -> String {
    switch tree {
    case .null(0): "n"
    case .null(let depth): text("$null:\(depth)")
    case .bool(let value): value ? "t" : "f"
    case .number(.integer(let integer)): "i\(integer)"
    case .number(.real(let real)): line(real)
    case .number(.float(let float)): line(float)
    case .number(.text(let spelling)): line(spelling: spelling)
    case .string(let string): text(EscapedString.escape(string))
    case .data(let data): text(data.base64EncodedString())
    case .date(let date): date.iso8601.map(text) ?? line(date.timeIntervalSinceReferenceDate)
    case .duration(let duration): line(.number(duration.number))
    case .layered: "layered"
    case .array(let elements): "[" + elements.map(line).joined(separator: ",") + "]"
    case .dictionary(let members):
      "{"
        + members.map { (hexadecimal($0.string.utf8), line($1)) }.sorted { $0.0 < $1.0 }
        .map { "\($0):\($1)" }.joined(separator: ",") + "}"
    }
  }

  private static func text(_ text: String) -> String { "s" + hexadecimal(text.utf8) }

  private static func line(spelling: String) -> String {
    spelling.contains { ".eE".contains($0) } ? line(Double(spelling)!) : "i" + spelling
  }

  /// The shortest spelling of a Float is that of another Double.
  private static func line(_ float: Float) -> String {
    line(float.isFinite ? Double("\(float)")! : Double(float))
  }

  private static func line(_ real: Double) -> String {
    if real.isNaN { return text("NaN") }
    if real.isInfinite { return text(real > 0 ? "Infinity" : "-Infinity") }
    let digits = String(real.bitPattern, radix: 16)
    return "d" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}

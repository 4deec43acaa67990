import FoundationEssentials
import KeyValueStorage
import ValueFormats

/// A setting of any type, as JSON shows it: without data, dates and the layers of optionals.
struct JSONValue: Equatable, Sendable {
  static let null = JSONValue(shown: .null(depth: 0))

  let tree: ValueTree

  private init(shown tree: ValueTree) {
    self.tree = tree
  }

  /// Reads a typed value.
  init(typed text: String) throws {
    let reason: String
    do throws(FormatError) {
      let tree = try JSONFormat().decode(ArraySlice(text.utf8))
      do throws(ValueCodingError) {
        self = try TreeDecoder().decode(Self.self, from: tree)
        return
      } catch {
        reason = error.reason
      }
    } catch {
      reason = error.reason
    }
    throw Failure(
      """
      VALUE cannot be read as JSON: \(reason). Text is written with its quotation marks: '"text"'.
      """)
  }
}

extension JSONValue: StoredScalar {
  init(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    self.init(shown: try Self.shown(tree))
  }

  init(from decoder: any Decoder) throws {
    guard let value = try Self.decodeTree(of: decoder) else {
      fatalError("A setting is decoded by \(type(of: decoder)).")
    }
    self = value
  }

  func encode(to encoder: any Encoder) throws {
    guard try encodeTree(to: encoder) else {
      fatalError("A setting is encoded by \(type(of: encoder)).")
    }
  }

  private static func shown(_ tree: ValueTree) throws(ValueCodingError.Problem) -> ValueTree {
    switch tree {
    // A nil inside of nested optionals is stored as a text of its own.
    case .null: return .null(depth: 0)
    case .bool, .string: return tree
    case .number(let number): return .number(try shown(number))
    case .data(let data): return .string(data.base64EncodedString())
    case .date(let date): return date.treeOfText
    case .array(let elements):
      return .array(
        try elements.map { element throws(ValueCodingError.Problem) in try shown(element) })
    case .dictionary(let members):
      var dictionary: [StoredKey: ValueTree] = [:]
      for (key, member) in members { dictionary[key] = try shown(member) }
      return .dictionary(dictionary)
    }
  }

  /// Returns an integer with all of its digits, or else a `Double`.
  private static func shown(
    _ number: StoredNumber
  ) throws(ValueCodingError.Problem) -> StoredNumber {
    if let integer = number.integer(Int128.self) { return .integer(integer) }
    if case .text = number, let spelling = spelling(of: number),
      !spelling.contains(where: { $0 == "." || $0 == "e" || $0 == "E" })
    {
      return .text(spelling)
    }
    guard let real = number.double else { throw .outOfRange(type: "Double") }
    return .real(real)
  }

  private static func spelling(of number: StoredNumber) -> String? {
    do throws(ValueCodingError.Problem) {
      return try NumberLiteral(.number(number)).description
    } catch {
      // JSON has no form of a hexadecimal number of more than 128 bits.
      return nil
    }
  }
}

extension Date {
  /// A text that stands for this date alone, in the years from 1583 to 9999.
  ///
  /// Before 1583, Foundation's calendar differs from that of ISO 8601. Other dates are numbers, as
  /// in the store's JSON files.
  fileprivate var treeOfText: ValueTree {
    let seconds = timeIntervalSinceReferenceDate
    let whole = seconds.rounded(.down)
    guard (-13_190_860_800..<252_423_993_600).contains(seconds),
      let fraction = Self.fraction(of: seconds, after: whole),
      let text = PropertyListDate.text(of: Date(timeIntervalSinceReferenceDate: whole))
    else { return .number(.real(seconds)) }
    return .string("\(text.dropLast())\(fraction)Z")
  }

  /// The fraction of a second, with at least three digits and as many more as reading it back
  /// exactly takes; empty for a whole second, and nil for a fraction that is too small.
  private static func fraction(of seconds: Double, after whole: Double) -> String? {
    if seconds == whole { return "" }
    for count in 3...17 {
      let scale = (0..<count).reduce(1.0) { scale, _ in scale * 10 }
      let digits = String(Int64(((seconds - whole) * scale).rounded()))
      guard digits.count <= count else { continue }
      let padded = String(repeating: "0", count: count - digits.count) + digits
      if let fraction = Double("0.\(padded)"), whole + fraction == seconds { return ".\(padded)" }
    }
    let exact = "\(seconds - whole)"
    return exact.hasPrefix("0.") && whole + (seconds - whole) == seconds
      ? "\(exact.dropFirst())" : nil
  }
}

extension JSONValue {
  /// On one line, with sorted keys, and with no character that moves a terminal's cursor.
  var json: String { Self.json(tree) }

  private static func json(_ tree: ValueTree) -> String {
    switch tree {
    case .bool(let value): "\(value)"
    case .number(.integer(let value)): "\(value)"
    case .number(.text(let spelling)): spelling
    case .number(.real(let value)):
      value.isFinite ? "\(value)" : value.nameInJSON.quotedForJSON
    case .string(let value): value.quotedForJSON
    case .array(let elements): "[\(elements.map(json).joined(separator: ", "))]"
    case .dictionary(let members):
      "{\(members.sorted { $0.key < $1.key }.map(json).joined(separator: ", "))}"
    // Only null is left of what is shown.
    case .null, .number(.float), .data, .date: "null"
    }
  }

  private static func json(_ member: (key: StoredKey, value: ValueTree)) -> String {
    "\(member.key.string.quotedForJSON): \(json(member.value))"
  }
}

extension Double {
  /// The name of a value that is not finite, as in the store's JSON files.
  fileprivate var nameInJSON: String { isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity" }
}

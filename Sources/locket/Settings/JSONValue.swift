import FoundationEssentials
import KeyValueStorage
import ValueFormats

/// A setting of any type in JSON, which has neither data, dates nor nested optionals.
struct JSONValue: Equatable, Sendable {
  static let null = JSONValue(converted: .null(depth: 0))

  let tree: ValueTree

  private init(converted tree: ValueTree) {
    self.tree = tree
  }

  /// Parses JSON from the command line; returns nil for text that does not begin like JSON.
  init?(argument text: String) throws {
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
      let start = text.utf8.first { !" \t\r\n".utf8.contains($0) }
      guard let start, "\"[{".utf8.contains(start) else { return nil }
      reason = error.reason
    }
    throw Failure(
      """
      VALUE is not valid JSON: \(reason). Enclose a string in quotation marks: '"text"'.
      """)
  }
}

extension JSONValue: StoredScalar {
  init(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    self.init(converted: try Self.converted(tree))
  }

  init(from decoder: any Decoder) throws {
    guard let tree = try ValueTree.merged(of: decoder, Self.converted) else {
      fatalError("Unsupported decoder: \(type(of: decoder)).")
    }
    self.init(converted: tree)
  }

  func encode(to encoder: any Encoder) throws {
    guard try encodeTree(to: encoder) else {
      fatalError("Unsupported encoder: \(type(of: encoder)).")
    }
  }

  private static func converted(_ tree: ValueTree) throws(ValueCodingError.Problem) -> ValueTree {
    switch tree {
    // A nil inside nested optionals is stored as a special text.
    case .null: return .null(depth: 0)
    case .bool, .string: return tree
    case .number(let number): return .number(try converted(number))
    case .data(let data): return .string(data.base64EncodedString())
    case .date(let date):
      let seconds = ValueTree.number(.real(date.timeIntervalSinceReferenceDate))
      return date.iso8601.map(ValueTree.string) ?? seconds
    case .duration(let duration): return .number(duration.number)
    case .array(let elements):
      return .array(
        try elements.map { element throws(ValueCodingError.Problem) in try converted(element) })
    case .dictionary(let members):
      var dictionary: [StoredKey: ValueTree] = [:]
      for (key, member) in members { dictionary[key] = try converted(member) }
      return .dictionary(dictionary)
    // Layers have been merged.
    case .layered: throw tree.isNot(.dictionary)
    }
  }

  /// Returns an integer with all digits, or else a `Double`.
  private static func converted(
    _ number: StoredNumber
  ) throws(ValueCodingError.Problem) -> StoredNumber {
    if let integer = number.integer(Int128.self) { return .integer(integer) }
    if case .text = number, let literal = literal(of: number),
      !literal.contains(where: { ".eE".contains($0) })
    {
      return .text(literal)
    }
    guard let real = number.double else { throw .outOfRange(type: "Double") }
    return .real(real)
  }

  private static func literal(of number: StoredNumber) -> String? {
    do throws(ValueCodingError.Problem) {
      return try NumberLiteral(.number(number)).description
    } catch {
      // JSON cannot represent a hexadecimal number of more than 128 bits.
      return nil
    }
  }
}

extension JSONValue {
  /// The name of the type, with an article; nil for text and null.
  var typeUnlikeText: String? {
    switch tree {
    case .bool: "a Boolean"
    case .number: "a number"
    case .array: "an array"
    case .dictionary: "a dictionary"
    // Conversion leaves nothing else of other types.
    case .string, .null, .data, .date, .duration, .layered: nil
    }
  }

  /// The JSON on one line, with sorted keys and without control characters.
  var json: String { Self.json(tree) }

  static func json(_ tree: ValueTree) -> String {
    switch tree {
    case .bool(let value): "\(value)"
    case .number(.integer(let value)): "\(value)"
    case .number(.text(let literal)): literal
    case .number(.real(let value)):
      value.isFinite ? "\(value)" : value.nameInJSON.quotedForJSON
    case .string(let value): value.quotedForJSON
    case .array(let elements): "[\(elements.map(json).joined(separator: ", "))]"
    case .dictionary(let members):
      "{\(members.sorted { $0.key < $1.key }.map(json).joined(separator: ", "))}"
    // Conversion leaves only null of these.
    case .null, .number(.float), .data, .date, .duration, .layered: "null"
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

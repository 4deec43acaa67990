package import ValueFormats

/// A number with all of its digits, in the spelling of JSON.
///
/// Use it for numbers that no number type of Swift holds exactly, such as an integer of more than
/// 128 bits from another program:
///
/// ```swift
/// let serial: NumberLiteral? = try store.value(of: "serial")
/// print(serial?.description ?? "none")
/// ```
///
/// Two literals are equal if their spellings are. A binary property list holds integers of up to
/// 128 bits, and rejects larger ones; other numbers are rounded to the nearest `Double` there.
/// Coders other than those of a `KeyValueStore` get the spelling as text.
public struct NumberLiteral: Hashable, Sendable, LosslessStringConvertible {
  /// The spelling, such as `-12`, `0.50` or `1e400`.
  public let description: String

  /// Creates a literal from a spelling; nil if it is not a JSON number.
  public init?(_ description: String) {
    guard JSONReader.isNumber(description) else { return nil }
    self.description = description
  }

  /// Creates a literal from an integer.
  public init(_ integer: some BinaryInteger) {
    description = "\(integer)"
  }

  /// Converts a number's spelling in a property list to JSON; nil for a hexadecimal one.
  fileprivate init?(propertyList spelling: String) {
    var digits = spelling.drop { $0 == "+" || $0 == "-" || $0 == "0" }
    if digits.last == "." { digits.removeLast() }
    let start = (spelling.hasPrefix("-") ? "-" : "") + (digits.first?.isNumber == true ? "" : "0")
    self.init(start + digits.replacing(".e", with: "e").replacing(".E", with: "E"))
  }
}

extension NumberLiteral: StoredScalar {
  package var tree: ValueTree {
    // No integer distinguishes -0 from 0.
    let integer = description == "-0" ? nil : Int128(description)
    return .number(integer.map(StoredNumber.integer) ?? .text(description))
  }

  package init(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    guard case .number(let number) = tree else { throw tree.isNot(.number) }
    let literal: NumberLiteral? =
      switch number {
      case .integer(let integer): NumberLiteral(integer)
      case .real(let real): NumberLiteral(real.description)
      case .float(let float): NumberLiteral(float.description)
      case .text(let spelling): NumberLiteral(spelling) ?? NumberLiteral(propertyList: spelling)
      }
    guard let literal else { throw .outOfRange(type: "NumberLiteral") }
    self = literal
  }
}

extension NumberLiteral: Codable {
  /// Reads the number of a `KeyValueStore`, or its spelling as text.
  public init(from decoder: any Decoder) throws {
    if let literal = try Self.decoded(byReaderOfTrees: decoder) {
      self = literal
      return
    }
    let container = try decoder.singleValueContainer()
    guard let literal = NumberLiteral(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "The text is not a number as JSON spells it.")
    }
    self = literal
  }

  /// Writes the number into a `KeyValueStore`, or its spelling as text.
  public func encode(to encoder: any Encoder) throws {
    if try encode(toBuilderOfTrees: encoder) { return }
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

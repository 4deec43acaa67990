package import ValueFormats

/// A number in JSON notation, with all of its digits.
///
/// Use it for numbers that no Swift number type represents exactly, such as an integer of more than
/// 128 bits that another program wrote.
///
/// Two literals are equal if their descriptions are equal. A binary property list stores the number
/// with all digits, but not its spelling, such as zeros at the end. A coder that is not part of a
/// ``KeyValueStore`` encodes the number as a string.
public struct NumberLiteral: Hashable, Sendable, LosslessStringConvertible {
  /// The number as a string, such as `-12`, `0.50` or `1e400`.
  public let description: String

  /// Creates a literal; returns nil if the string is not a JSON number.
  public init?(_ description: String) {
    guard JSONReader.isNumber(description) else { return nil }
    self.description = description
  }

  /// Creates a literal from an integer.
  public init(_ integer: some BinaryInteger) { description = "\(integer)" }

  /// Converts a number in property list notation to JSON; returns nil for a hexadecimal number.
  fileprivate init?(propertyList text: String) {
    var digits = text.drop { $0 == "+" || $0 == "-" || $0 == "0" }
    if digits.last == "." { digits.removeLast() }
    let start = (text.hasPrefix("-") ? "-" : "") + (digits.first?.isNumber == true ? "" : "0")
    self.init(start + digits.replacing(".e", with: "e").replacing(".E", with: "E"))
  }
}

extension NumberLiteral: StoredScalar {
  package var tree: ValueTree {
    // An integer cannot represent -0.
    let integer = description == "-0" ? nil : Int128(description)
    return .number(integer.map(StoredNumber.integer) ?? .text(description))
  }

  package init(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    guard case .number(let number) = tree.withNumber else { throw tree.isNot(.number) }
    let literal: NumberLiteral? =
      switch number {
      case .integer(let integer): NumberLiteral(integer)
      case .real(let real): NumberLiteral(real.description)
      case .float(let float): NumberLiteral(float.description)
      case .text(let text): NumberLiteral(text) ?? NumberLiteral(propertyList: text)
      }
    guard let literal else { throw .outOfRange(type: "NumberLiteral") }
    self = literal
  }
}

extension NumberLiteral: Codable {
  /// Decodes a number from a ``KeyValueStore``, or a string from another decoder.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard
      let literal = try Self.decodeTree(of: decoder)
        ?? NumberLiteral(container.decode(String.self))
    else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "The string is not a JSON number.")
    }
    self = literal
  }

  /// Encodes a number for a ``KeyValueStore``, or a string for another encoder.
  public func encode(to encoder: any Encoder) throws {
    if try encodeTree(to: encoder) { return }
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

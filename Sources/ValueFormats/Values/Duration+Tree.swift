import FoundationEssentials

// The conversion of durations to and from trees of values.
extension Duration {
  /// The number of seconds, with all of its digits; `Decimal` represents each duration exactly.
  var tree: ValueTree { Decimal(string: "\(attoseconds)e-18")!.tree }

  /// Decodes seconds, or text such as `2h30m`; nil for an array, which `Duration` itself decodes.
  init?(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    switch tree {
    case .array: return nil
    case .number(let number):
      guard let attoseconds: Int128 = DecimalDigits(number.notation)?.integer(timesTenTo: 18)
      else { throw .outOfRange(type: "Duration") }
      self.init(attoseconds: attoseconds)
    case .string(let text):
      guard let attoseconds = Self.attoseconds(text) else { throw tree.isNot(.duration) }
      self.init(attoseconds: attoseconds)
    default: throw tree.isNot(.duration)
    }
  }

  /// The units in text, in descending order; `power` is that of ten in attoseconds.
  private static let units: [(name: String, multiple: Int128, power: Int)] = [
    ("d", 86_400, 18), ("h", 3600, 18), ("m", 60, 18), ("s", 1, 18), ("ms", 1, 15), ("us", 1, 12),
    ("ns", 1, 9),
  ]

  /// Parses a sum of numbers, each with a smaller unit than the one before, such as `-1h1.5s`.
  private static func attoseconds(_ text: String) -> Int128? {
    func isNumberPart(_ byte: UInt8) -> Bool { byte.isDigit || byte == UInt8(ascii: ".") }
    var rest = text[...].utf8.withoutSign
    var units = units[...]
    var sum: Int128 = 0
    repeat {
      let number = rest.prefix(while: isNumberPart)
      let name = rest[number.endIndex...].prefix { !isNumberPart($0) }
      guard let index = units.firstIndex(where: { $0.name.utf8.elementsEqual(name) }),
        let count: Int128 = DecimalDigits(String(Substring(number)))?
          .integer(timesTenTo: units[index].power)
      else { return nil }
      let (part, isPartTooLarge) = count.multipliedReportingOverflow(by: units[index].multiple)
      let (total, isTotalTooLarge) = sum.addingReportingOverflow(part)
      if isPartTooLarge || isTotalTooLarge { return nil }
      sum = total
      units = units[(index + 1)...]
      rest = rest[name.endIndex...]
    } while !rest.isEmpty
    return text.utf8.first == UInt8(ascii: "-") ? -sum : sum
  }
}

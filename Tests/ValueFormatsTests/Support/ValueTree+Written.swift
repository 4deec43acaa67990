import FoundationEssentials
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

// The tree that a format returns for a written one.
extension StoredKey: ExpressibleByStringLiteral {
  /// Creates a key from its spelling in the test.
  public init(stringLiteral key: String) { self.init(key) }
}

private typealias Real = BinaryFloatingPoint & LosslessStringConvertible

extension ValueTree {
  /// The value that remains after writing it in a format.
  func written(in format: KeyValueFormat) -> ValueTree {
    switch format {
    case .json: inJSON
    case .xml: inXML
    case .binary: self
    }
  }

  private var inJSON: ValueTree {
    switch self {
    case .number(.integer(let value)): .number(.text("\(value)"))
    case .number(.real(let value)): Self.inJSON(value)
    case .number(.float(let value)): Self.inJSON(value)
    case .date(let date):
      date.iso8601.map(ValueTree.string) ?? Self.inJSON(date.timeIntervalSinceReferenceDate)
    case .data(let data): .string(data.base64EncodedString())
    case .array(let elements): .array(elements.map(\.inJSON))
    case .dictionary(let elements): .dictionary(elements.mapValues(\.inJSON))
    default: self
    }
  }

  private static func inJSON(_ value: some Real) -> ValueTree {
    if value.isNaN { return .string("NaN") }
    if value.isInfinite { return .string(value > 0 ? "Infinity" : "-Infinity") }
    return .number(.text(spelling(of: value)))
  }

  private var inXML: ValueTree {
    switch self {
    case .number(.real(let value)): return Self.inXML(value)
    case .number(.float(let value)): return Self.inXML(value)
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      guard let text = date.iso8601 else { return Self.inXML(seconds) }
      // Dates do not distinguish the two zeros.
      return seconds == seconds.rounded()
        ? .date(Date(timeIntervalSinceReferenceDate: seconds + 0)) : .string(text)
    case .array(let elements): return .array(elements.map(\.inXML))
    case .dictionary(let elements): return .dictionary(elements.mapValues(\.inXML))
    default: return self
    }
  }

  private static func inXML(_ value: some Real) -> ValueTree {
    if !value.isFinite { return .number(.real(value.isNaN ? .nan : Double(value))) }
    return .number(.text(spelling(of: value)))
  }

  /// The shortest decimal notation of this number.
  private static func spelling<Number: Real>(of value: Number) -> String {
    let text = value.description
    #expect(Number(text)?.isExactly(value) == true)
    return text
  }
}

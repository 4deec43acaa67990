import FoundationEssentials
import StorageInternals

// Types that are known by name: those whose own Codable is not how they are to be stored, and the
// commonest others, which are spared an encoder of their own.

extension ValueTree {
  /// The tree of a value of a type that is known by name; nil if its own code is to encode it.
  static func known<Value>(_ value: Value) -> ValueTree? {
    if Value.self == String.self { return .string(same(value, as: String.self)) }
    if Value.self == Int.self { return same(value, as: Int.self).tree }
    if Value.self == Bool.self { return .bool(same(value, as: Bool.self)) }
    if Value.self == Double.self { return .number(.real(same(value, as: Double.self))) }
    if Value.self == UInt8.self { return same(value, as: UInt8.self).tree }
    if Value.self == Date.self { return .date(same(value, as: Date.self)) }
    if Value.self == Data.self {
      let data = same(value, as: Data.self)
      // A slice counts its indices from elsewhere.
      return .data(data.startIndex == 0 ? data : Data(Array(data)))
    }
    if Value.self == URL.self {
      let url = same(value, as: URL.self)
      // Not if it is relative to a base, which would be lost.
      return URL(string: url.absoluteString) == url ? .string(url.absoluteString) : nil
    }
    if Value.self == NumberLiteral.self { return same(value, as: NumberLiteral.self).tree }
    return nil
  }

  /// The value of a type that is known by name; nil if its own code is to decode it.
  func known<Value>(as type: Value.Type) throws(TreeCodingError.Problem) -> Value? {
    if type == String.self { return same(try String(self), as: type) }
    if type == Int.self { return same(try Int(self), as: type) }
    if type == Bool.self { return same(try Bool(self), as: type) }
    if type == Double.self { return same(try Double(self), as: type) }
    if type == UInt8.self { return same(try UInt8(self), as: type) }
    if type == Date.self { return same(try date, as: type) }
    if type == Data.self { return same(try data, as: type) }
    if type == URL.self, let url = try url { return same(url, as: type) }
    if type == NumberLiteral.self { return same(try NumberLiteral(self), as: type) }
    return nil
  }

  private var date: Date {
    get throws(TreeCodingError.Problem) {
      switch self {
      case .date(let date): return date
      case .number(let number):
        guard let seconds = number.double else { throw .outOfRange(type: "Date") }
        return Date(timeIntervalSinceReferenceDate: seconds)
      case .string(let text):
        if let date = Date(iso8601: text) { return date }
        guard let seconds: Double = text.nonFinite() else { throw isNot(.date) }
        return Date(timeIntervalSinceReferenceDate: seconds)
      default: throw isNot(.date)
      }
    }
  }

  private var data: Data {
    get throws(TreeCodingError.Problem) {
      switch self {
      case .data(let data): return data
      case .string(let text):
        guard let data = Data(strictBase64: text.utf8) else { throw isNot(.data) }
        return data
      default: throw isNot(.data)
      }
    }
  }

  /// Nil for the dictionary that a URL's own code writes.
  private var url: URL? {
    get throws(TreeCodingError.Problem) {
      switch self {
      case .string(let text):
        guard let url = URL(string: text) else { throw isNot(.url) }
        return url
      case .dictionary: return nil
      default: throw isNot(.url)
      }
    }
  }
}

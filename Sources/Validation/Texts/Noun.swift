/// The forms of a noun that are used with numbers.
struct Noun: Sendable {
  /// The form for an amount of one.
  private let one: String
  /// The form for an amount that ends in 2 to 4, or nil if the language has no such form.
  private let few: String?
  /// The form for other numbers.
  private let many: String
  /// The form for a limit that ends in 1, if the language has the form `few`.
  private let genitive: String
  /// The form without a number.
  let plural: String

  init(
    _ one: String, few: String? = nil, _ many: String, genitive: String? = nil,
    plural: String? = nil
  ) {
    (self.one, self.few, self.many) = (one, few, many)
    self.genitive = genitive ?? few ?? one
    self.plural = plural ?? many
  }

  /// Returns the form for an amount, following the plural rules of Unicode CLDR.
  func form(_ count: Int) -> String {
    guard let few else { return count == 1 ? one : many }
    if Self.isSingular(count) { return one }
    return (2...4).contains(count % 10) && !(12...14).contains(count % 100) ? few : many
  }

  /// Returns the form for a limit.
  func form(limiting count: Int) -> String {
    few == nil ? form(count) : Self.isSingular(count) ? genitive : many
  }

  /// Returns an amount followed by the noun.
  func counted(_ count: Int) -> String { "\(count) \(form(count))" }

  /// Returns a limit followed by the noun.
  func limiting(_ count: Int) -> String { "\(count) \(form(limiting: count))" }

  /// Returns whether a number takes the singular in Russian.
  static func isSingular(_ count: Int) -> Bool { count % 10 == 1 && count % 100 != 11 }
}

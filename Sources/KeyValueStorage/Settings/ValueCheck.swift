import Concurrency
import ValueFormats

/// A check of the values of a property: it returns a message for a value that it refuses, or nil.
typealias ValueCheck<Value> = @Sendable (Value) -> String?

extension Declaration {
  /// Throws the message of the check for a value that it refuses.
  ///
  /// The value has the type of the declaration's properties.
  func check<Value: Sendable>(_ value: Value) throws(KeyValueStoreError) {
    guard let boxedCheck else { return }
    let check = unsafe unsafeDowncast(boxedCheck, to: Box<ValueCheck<Value>>.self).value
    if let message = check(value) {
      throw .unencodable(key: key.string, type: "\(Value.self)", reason: message.shownAsReason)
    }
  }
}

extension DecodingFailure {
  /// The failure of a stored value that a check refuses with a message.
  init(
    refused value: EncodedValue, of key: StoredKey, _ type: String, _ message: String,
    _ coding: any StoredFormat
  ) {
    self.init(
      part: FilePart(key: key, value: value, location: .value([])), type: type,
      keyPath: [ValueStep]().keyPath(from: key.string), found: (try? coding.decode(value))?.shown,
      reason: message.shownAsReason)
  }
}

/// Ends the process, because the check of a property refuses its default value.
func refuseDefault(of key: String, _ message: String) -> Never {
  fatalError(
    """
    The default value of the setting \([ValueStep]().keyPath(from: key)) is refused by its check: \
    \(message.shownAsReason). Change the default value or the check.
    """)
}

extension String {
  /// The message of a check as a clause.
  fileprivate var shownAsReason: String {
    let clause = shownAsClause
    return clause.isEmpty ? "the property's check refuses it" : clause
  }
}

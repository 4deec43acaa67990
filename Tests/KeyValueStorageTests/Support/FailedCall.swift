@testable import KeyValueStorage

extension KeyValueStoreError {
  /// Returns whether the error is that of a failed call, such as `open /path/of/a/file`.
  func isFailure(of place: String, _ code: Int32) -> Bool {
    switch self {
    case .system(let call, let path, code): return "\(call) \(path)" == place
    case .readOnly(let message):
      let words = place.split(separator: " ", maxSplits: 1)
      return message.contains("\(words[0]) of \(words[1]) failed: ")
        && message.contains("(errno \(code))")
    default: return false
    }
  }

  /// The error number of a failed call; nil for other errors.
  var code: Int32? {
    switch self {
    case .system(_, _, let code): code
    case .readOnly(let message):
      message.split(separator: "(errno ").last.flatMap { Int32($0.prefix(while: \.isNumber)) }
    default: nil
    }
  }

  /// Whether the file or the key is read-only.
  var isReadOnly: Bool {
    if case .readOnly = self { true } else { false }
  }
}

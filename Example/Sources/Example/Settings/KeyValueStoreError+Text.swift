import KeyValueStorage

extension KeyValueStoreError {
  /// What is wrong, with the command that helps where there is one, for the same arguments.
  func text(for arguments: Arguments) -> String {
    switch self {
    case .unreadable, .empty:
      "\(self) To move it aside: `Example settings move-aside\(arguments.settingsOptions)`."
    case .undecodable(let key, _, let reason):
      "The value of \(String(reflecting: key)) cannot be shown: \(reason)."
    default: "\(self)"
    }
  }

  /// Whether the file is there, and only its content is not what it should be.
  var isOfContent: Bool {
    switch self {
    case .unreadable, .empty, .tooLarge: true
    default: false
    }
  }

  /// Whether a single value is not what it should be.
  var isOfValue: Bool {
    if case .undecodable = self { true } else { false }
  }
}

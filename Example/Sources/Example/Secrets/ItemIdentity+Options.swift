import SecretStorage

extension ItemIdentity {
  /// The options that name this item, as a shell takes them.
  var options: String {
    let parts: [(Option, String?)] = [
      (.service, service), (.server, server), (.account, account), (.domain, securityDomain),
      (.protocol, `protocol`?.name), (.authentication, authenticationType?.name),
      (.port, port.map(String.init)), (.path, path),
    ]
    return parts.compactMap { option, value in
      value.map { "--\(option.name) \($0.quotedForShell)" }
    }.joined(separator: " ")
  }
}

extension String {
  /// The text as one word of a shell, with nothing in it that moves a terminal's cursor.
  var quotedForShell: String {
    if unicodeScalars.contains(where: \.isInvisible) {
      return "$'\(unicodeScalars.map(\.escapedForShell).joined())'"
    }
    let safe = !isEmpty && unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.isSafe }
    return safe
      ? self
      : "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }

  /// The text on one line, with nothing in it that moves a terminal's cursor.
  var onOneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isInvisible ? "\u{FFFD}" : $0 }))
  }
}

extension Unicode.Scalar {
  fileprivate var isSafe: Bool {
    ("0"..."9").contains(self) || "@%+=:,./_-".unicodeScalars.contains(self)
  }

  fileprivate var escapedForShell: String {
    if self == "'" || self == "\\" { return "\\\(self)" }
    if !isInvisible { return String(self) }
    let digits = String(value, radix: 16)
    return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}

import ValueFormats

/// The names under which a layer has the texts of keys.
enum TextNaming: Hashable, Sendable {
  case commandLine
  case environment(prefix: String)

  /// The text between the name of a structure and that of its member.
  var separator: String {
    switch self {
    case .commandLine: ":"
    case .environment: "__"
    }
  }

  func name(of key: String) -> String {
    switch self {
    case .commandLine: "--" + key
    case .environment(let prefix): prefix + Self.variable(key)
    }
  }

  func name(ofMember member: String, of name: String) -> String {
    switch self {
    case .commandLine: name + separator + member
    case .environment: name + separator + Self.variable(member)
    }
  }

  /// Returns the names of the structures of which a name may be that of a member.
  func structures(of name: String) -> [StoredKey] {
    let bytes = Array(name.utf8)
    let ends = bytes.indices.lazy.filter { bytes[$0...].starts(with: separator.utf8) }
    // Each name is a copy, so the depth is limited.
    return ends.prefix(16).map { StoredKey(String(decoding: bytes[..<$0], as: UTF8.self)) }
  }

  func source(_ name: String) -> ValueSource {
    switch self {
    case .commandLine: .commandLine(option: name)
    case .environment: .environment(variable: name)
    }
  }

  /// Returns a key as a part of a variable's name: `server.maximumSize` is `SERVER_MAXIMUM_SIZE`.
  private static func variable(_ key: String) -> String {
    let scalars = Array(key.unicodeScalars)
    var name = ""
    for (index, scalar) in scalars.enumerated() {
      if index > 0, scalar.isUppercase {
        let previous = scalars[index - 1]
        let next = index + 1 < scalars.count ? scalars[index + 1] : previous
        let endsAcronym = previous.isUppercase && next.isLowercase
        if previous.isLowercase || previous.isDigit || endsAcronym { name += "_" }
      }
      let isKept = scalar.isUppercase || scalar.isLowercase || scalar.isDigit
      name += isKept ? String(scalar).uppercased() : "_"
    }
    return name
  }
}

extension Unicode.Scalar {
  fileprivate var isUppercase: Bool { ("A"..."Z").contains(self) }
  fileprivate var isLowercase: Bool { ("a"..."z").contains(self) }
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

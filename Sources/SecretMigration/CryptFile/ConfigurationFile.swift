import SecretStorage

/// A parsed keyring file in the format of Python's `configparser`.
///
/// The names of sections and options are escaped, and consist of letters, digits and underscores.
/// Whitespace around values is removed, and a value may continue on indented lines.
struct ConfigurationFile {
  struct Option {
    let section: String
    let name: String
    /// The line number, starting at 1.
    let line: Int
    var value: String
  }

  /// The maximum size of an escaped name, in bytes: no longer one can be stored.
  private static let nameLimit = 3 * ItemLimits.stringSize

  /// The options of all sections, in the order of the file.
  private(set) var options: [Option] = []

  init(_ bytes: [UInt8], of path: String) throws(MigrationError) {
    func malformed(_ line: Int, _ reason: String) -> MigrationError {
      .malformed(path: path, reason: "line \(line): \(reason)")
    }
    var section: String?
    var sections: Set = ["DEFAULT"]
    // The names of the section's options, which are not case-sensitive.
    var names = Set<String>()
    var lineNumber = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      lineNumber += 1
      guard line.allSatisfy({ $0 < 0x80 && ($0 >= 0x20 || $0 == 0x09 || $0 == 0x0d) }) else {
        throw malformed(lineNumber, "it contains a character that is not allowed in a keyring")
      }
      let content = line.trimmed
      guard let first = content.first, !"#;".utf8.contains(first) else { continue }
      if line.first == 0x20 || line.first == 0x09 {
        guard !names.isEmpty else { throw malformed(lineNumber, "there is no value to continue") }
        options[options.count - 1].value += String(decoding: content, as: UTF8.self)
      } else if first == UInt8(ascii: "[") {
        guard content.last == UInt8(ascii: "]"),
          let name = Self.name(content.dropFirst().dropLast())
        else { throw malformed(lineNumber, "the section header is invalid") }
        guard sections.insert(name).inserted else {
          throw malformed(lineNumber, "the section is a duplicate or is named DEFAULT")
        }
        section = name
        names = []
      } else {
        guard
          let separator = content.firstIndex(where: {
            $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":")
          }),
          let name = Self.name(content[..<separator].trimmed), let section
        else { throw malformed(lineNumber, "expected an option in a section") }
        guard names.insert(name.lowercased()).inserted else {
          throw malformed(lineNumber, "duplicate option")
        }
        let value = content[content.index(after: separator)...].trimmed
        let string = String(decoding: value, as: UTF8.self)
        options.append(Option(section: section, name: name, line: lineNumber, value: string))
      }
      try ForeignSecrets.checkCount(max(options.count, sections.count), of: path)
    }
  }

  /// Returns an escaped name as a string; nil if it is too long or contains other characters.
  private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
    let isName =
      (1...nameLimit).contains(bytes.count)
      && bytes.allSatisfy { $0 == UInt8(ascii: "_") || $0.isAlphanumeric }
    return isName ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without leading and trailing whitespace.
  fileprivate var trimmed: ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
    let start = drop(while: isBlank)
    guard let end = start.lastIndex(where: { !isBlank($0) }) else { return [] }
    return start[...end]
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  var isAlphanumeric: Bool { isDigit || isLetter }
}

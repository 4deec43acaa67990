/// A file as Python's `configparser` writes it for a keyring: sections, options, values over several lines.
///
/// The names in it are escaped to letters, digits and underscores, and values are kept without white space.
struct ConfigurationFile {
  struct Option {
    let section: String
    let name: String
    /// The number of the line, the first being 1.
    let line: Int
    var value: String
  }

  /// Every option, in the file's order.
  private(set) var options: [Option] = []

  init(_ bytes: [UInt8], of path: String) throws(MigrationError) {
    func malformed(_ line: Int, _ reason: String) -> MigrationError {
      .malformed(path: path, reason: "line \(line): \(reason)")
    }
    var section: String?
    var names = Set<[String]>()
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      guard line.allSatisfy({ $0 < 0x80 && ($0 >= 0x20 || $0 == 0x09 || $0 == 0x0d) }) else {
        throw malformed(number, "it has characters that no such keyring has")
      }
      let text = String(decoding: line, as: UTF8.self)
      let content = text.trimmed
      guard let first = content.first, first != "#", first != ";" else { continue }
      if let blank = text.first, blank == " " || blank == "\t" {
        guard !options.isEmpty, options[options.count - 1].section == section else {
          throw malformed(number, "it continues no value")
        }
        options[options.count - 1].value += content
      } else if first == "[" {
        guard content.last == "]", let name = Self.name(content.dropFirst().dropLast()) else {
          throw malformed(number, "it is no section of such a keyring")
        }
        guard names.insert([name]).inserted, name != "DEFAULT" else {
          throw malformed(number, "its section is there already, or is for all others")
        }
        section = name
      } else {
        guard let separator = content.firstIndex(where: { $0 == "=" || $0 == ":" }),
          let name = Self.name(Substring(content[..<separator].trimmed)), let section
        else { throw malformed(number, "it is no option of a section") }
        // The parser takes no notice of the case of an option.
        guard names.insert([section, name.lowercased()]).inserted else {
          throw malformed(number, "its option is there already")
        }
        let value = content[content.index(after: separator)...].trimmed
        options.append(Option(section: section, name: name, line: number, value: String(value)))
      }
    }
  }

  /// The name if it is one that escaping can give.
  private static func name(_ text: Substring) -> String? {
    let isName =
      !text.isEmpty && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isAlphanumeric }
    return isName ? String(text) : nil
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  var isAlphanumeric: Bool { isDigit || isLetter }
}

extension StringProtocol {
  /// The text without blanks at its ends.
  fileprivate var trimmed: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    let start = drop(while: isBlank)
    guard let end = start.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(start[...end])
  }
}

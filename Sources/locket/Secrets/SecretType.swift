import CLibrary
import FoundationEssentials
import SecretStorage
import ValueFormats

extension Option {
  static let secretType = Option(
    "type", "TYPE", "its type in an app: integer, boolean, text or data; see below")
  static let raw = Option("raw", nil, "do not escape control characters on a terminal")
}

/// The type as which an app reads a secret, by its name in `--type`.
enum SecretType: String {
  case integer
  case boolean
  case text
  case data

  /// Returns the bytes that an app stores for a value of this type.
  func encoded(_ input: Secret) throws -> Data {
    switch self {
    case .integer:
      guard let integer = input.text.flatMap({ Int64($0) }) else {
        throw Failure(
          "The secret is not an integer from \(Int64.min) to \(Int64.max). Nothing was changed.")
      }
      return Data(try ValueCoder().encode(integer))
    case .boolean:
      guard let boolean = input.text.flatMap({ Bool($0) }) else {
        throw Failure("The secret is neither `true` nor `false`. Nothing was changed.")
      }
      return Data(try ValueCoder().encode(boolean))
    case .text where input.text == nil:
      throw Failure("The secret is not valid UTF-8. Nothing was changed.")
    case .text, .data:
      // The bytes are copied inside the closure.
      return unsafe input.withUnsafeBytes { unsafe Data($0) }
    }
  }

  /// Returns a stored secret as output; throws if an app could not read it as this type.
  func decoded(_ secret: [UInt8]) throws -> [UInt8] {
    do throws(ValueCodingError) {
      switch self {
      case .integer: return Array("\(try ValueCoder().decode(Int64.self, from: secret))".utf8)
      case .boolean: return Array("\(try ValueCoder().decode(Bool.self, from: secret))".utf8)
      case .text: return Array(try ValueCoder().decode(String.self, from: secret).utf8)
      case .data: return secret
      }
    } catch {
      throw SecretStoreError.undecodable(rawValue)
    }
  }
}

extension Arguments {
  func secretType() throws(UsageError) -> SecretType? {
    guard let name = self[.secretType] else { return nil }
    guard let type = SecretType(rawValue: name) else {
      throw UsageError("--type needs `integer`, `boolean`, `text` or `data`.")
    }
    return type
  }
}

extension Secret {
  /// Whether the text looks like a number or a Boolean, which an app may expect to be stored so.
  var looksTyped: Bool { text.map { Double($0) != nil || Bool($0) != nil } ?? false }
}

extension Output {
  /// Writes a secret, on a terminal with escapes for what could control it unless `isRaw`.
  static func secret(_ secret: [UInt8], withNewline: Bool, isRaw: Bool) throws(Failure) {
    let newline = [UInt8(ascii: "\n")]
    guard isatty(STDOUT_FILENO) == 1, !isRaw else {
      return try write(secret + (withNewline ? newline : []))
    }
    let shown = Array(String(escaping: secret).utf8)
    try write(shown + newline)
    if shown != secret {
      Program.report("Control characters are shown by their codes; --raw prints them unchanged.")
    }
  }
}

import FoundationEssentials

/// Texts under names, such as the variables of an environment.
package protocol TextSource: AnyObject, Sendable {
  /// Whether several texts of a name are the elements of an array.
  var listsElements: Bool { get }

  /// Returns the value of a member of the structure with a name; nil if there is none.
  func member(_ key: String, of name: String) -> TextValue?
}

/// A value that is written as text, and is decoded by the requested type.
package struct TextValue: Sendable {
  /// The name for messages, such as `NOTES_SERVER_PORT` or `--server.port`.
  package let name: String
  /// The texts in their order; empty if there are only texts of members.
  let texts: [String]
  private let hasMembers: Bool
  private let source: any TextSource

  package init(name: String, texts: [String], hasMembers: Bool, source: any TextSource) {
    self.name = name
    self.texts = texts
    self.hasMembers = hasMembers
    self.source = source
  }

  /// Whether there are only texts of members, which a type without members ignores.
  package var hasOnlyMembers: Bool { texts.isEmpty }

  /// Whether the value is nil; no text is nil for a type that is not optional.
  var isNull: Bool { !hasMembers && texts == ["null"] }

  /// Whether the value may be a structure, whose other members are in lower layers.
  package var isMergeable: Bool { hasMembers || texts.count == 1 && texts[0].isBraced("{") }

  /// Returns the text of a structure's member.
  func member(_ key: String) -> TextValue? {
    hasMembers ? source.member(key, of: name) : nil
  }

  /// Returns the tree of a type that is not encoded as an array or a dictionary.
  func tree(as type: Any.Type) throws(ValueCodingError.Problem) -> ValueTree {
    guard let text = texts.first, texts.count == 1 else {
      // An array of numbers would be a duration in the form of older versions.
      if type == Duration.self { throw .inText("it is given \(texts.count) times", name: name) }
      return .array(texts.map(ValueTree.string))
    }
    if type == Bool.self {
      switch text.lowercased() {
      case "true", "yes", "on", "1": return .bool(true)
      case "false", "no", "off", "0": return .bool(false)
      default: return .string(text)
      }
    }
    // The other standard types are numbers, or are strings in files as well.
    let types: [Any.Type] = [String.self, Date.self, Data.self, URL.self]
    let isString = types.contains { $0 == type } || !text.isNumber
    return isString ? .string(text) : .number(.text(text))
  }

  /// Parses the text as JSON; nil if there is none.
  func json() throws(ValueCodingError.Problem) -> ValueTree? {
    if texts.isEmpty { return nil }
    if texts.count > 1 { return .array(texts.map(ValueTree.string)) }
    do {
      return try JSONFormat().decode(ArraySlice(texts[0].utf8))
    } catch {
      throw .inText("invalid JSON: \(error.reason)", name: name)
    }
  }

  /// Returns the elements of an array: those of a JSON array, or one for each text.
  func elements() throws(ValueCodingError.Problem) -> [LayeredTree.Part] {
    if source.listsElements, texts.count > 1 || !texts.contains(where: { $0.isBraced("[") }) {
      return texts.map { text in
        .text(TextValue(name: name, texts: [text], hasMembers: false, source: source))
      }
    }
    guard let json = try json(), case .array(let elements) = json else {
      throw .inText("expected an array in JSON", name: name)
    }
    return elements.map { .tree($0, name: name) }
  }

  /// Returns a problem of this value, without a kind that only its conversion produced.
  func problem(_ problem: ValueCodingError.Problem) -> ValueCodingError.Problem {
    if case .wrongType(let expected, _) = problem {
      return .inText(
        texts.count > 1 ? "it is given \(texts.count) times" : "expected \(expected.rawValue)",
        name: name)
    }
    return problem.inText(name)
  }
}

extension TextValue: Hashable {
  package static func == (first: TextValue, second: TextValue) -> Bool {
    first.name == second.name && first.texts == second.texts && first.source === second.source
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ValueCodingError.Problem {
  /// Returns the problem with the name of the text in which it occurred, if there is one.
  func inText(_ name: String?) -> Self {
    if case .inText = self { return self }
    return name.map { .inText(clause, name: $0) } ?? self
  }
}

extension String {
  /// Whether the text begins like a JSON object or array.
  fileprivate func isBraced(_ brace: Unicode.Scalar) -> Bool {
    utf8.first { !$0.isWhitespace } == UInt8(ascii: brace)
  }

  /// Whether the text is a decimal number, also with a plus sign or leading zeros.
  fileprivate var isNumber: Bool {
    utf8.contains(where: \.isDigit)
      && utf8.allSatisfy { $0.isDigit || "+-.eE".utf8.contains($0) } && Double(self) != nil
  }
}

import FoundationEssentials

extension ValueCoder {
  /// Decodes a value that is written as text, such as `8443` for an integer, by its type.
  ///
  /// `Data` has the bytes of the text. A structure, an array or a dictionary is JSON. Any other
  /// value has the form that it has in a variable of the environment.
  package func decode<Value: Decodable>(
    _ type: Value.Type, fromText bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    if type == Data.self { return identityCast(Data(encodedBytes: bytes), to: type) }
    if type == Data?.self { return identityCast(Data?.some(Data(encodedBytes: bytes)), to: type) }
    let text: String
    do {
      text = try String(encodedBytes: bytes)
    } catch {
      throw ValueCodingError(error.problem, of: type)
    }
    if type == String.self { return identityCast(text, to: type) }
    let value = TextValue(
      name: "the text", texts: [text], hasMembers: false, source: SingleText.source)
    return try TreeDecoder().decode(type, from: .layers([.text(value)]))
  }
}

/// The source of a text that has no members in other texts.
private final class SingleText: TextSource {
  static let source = SingleText()

  var listsElements: Bool { false }

  func member(_ key: String, of name: String) -> TextValue? { nil }
}

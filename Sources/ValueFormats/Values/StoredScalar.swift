/// A type that is encoded as a single value without containers.
package protocol StoredScalar: Codable {
  var tree: ValueTree { get }

  init(_ tree: ValueTree) throws(ValueCodingError.Problem)
}

extension StoredScalar {
  // Types of other modules call these methods in their `Codable` implementations.

  /// Decodes a value from a decoder of settings; returns nil for another decoder.
  package static func decodeTree(of decoder: any Decoder) throws -> Self? {
    guard let reader = decoder as? TreeReader, reader.context.form == .setting else { return nil }
    do throws(ValueCodingError.Problem) {
      return try Self(reader.tree)
    } catch {
      throw DecodingError(error, of: Self.self, at: reader.path)
    }
  }

  /// Encodes the value for an encoder of settings; returns false for another encoder.
  package func encodeTree(to encoder: any Encoder) throws -> Bool {
    guard let builder = encoder as? TreeBuilder, builder.context.form == .setting else {
      return false
    }
    try builder.set(tree)
    return true
  }
}

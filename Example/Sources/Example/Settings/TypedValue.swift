import KeyValueStorage

/// A store of one value that a person typed as JSON.
///
/// So it is read by the rules, and refused for the reasons, that hold for a file; Foundation's
/// decoder takes what is not JSON, and one of two members with the same key.
private struct TypedValue: KeyValueBackend {
  static let key = "VALUE"

  let text: String
  let format = KeyValueFormat.json
  let name = key

  func load() -> KeyValueContents {
    KeyValueContents([(key: Self.key, value: ArraySlice(text.utf8))], revision: 0)
  }

  func hasChanged(since revision: Int64) -> Bool { false }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    throw .unavailable("What was typed cannot be changed.")
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    KeyValueObservation {}
  }

  func moveAside() -> String? { nil }
}

extension JSONValue {
  /// Reads what a person typed.
  init(typed text: String) throws {
    do throws(KeyValueStoreError) {
      self = try KeyValueStore(TypedValue(text: text)).value(of: TypedValue.key) ?? .null
    } catch {
      guard case .undecodable(_, _, let reason) = error else { throw error }
      throw Failure(
        """
        VALUE cannot be read as JSON: \(reason). Text is written with its quotation marks: '"text"'.
        """)
    }
  }
}

import FoundationEssentials
import ValueFormats
import Testing

@Suite struct ValueCodingErrorTests {
  let coder = ValueCoder()

  private struct Old: Codable {
    var secret: String
    var inner: [String: String]
  }

  private struct New: Codable {
    struct Inner: Codable { var hidden: Int }
    var secret: String
    var inner: [String: Inner]
  }

  private struct Picky: Codable {
    struct Complaint: Error, CustomStringConvertible { var description: String }
    var text: String

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      throw Complaint(description: try decoder.singleValueContainer().decode(String.self))
    }
  }

  @Test func errorPathOmitsDictionaryKeys() throws {
    let bytes = try coder.encode(Old(secret: "hunter2", inner: ["hunter3": "hunter4"]))
    let error = try self.error(decoding: New.self, from: bytes)
    #expect(error.type == "New")
    #expect(error.reason == "expected a dictionary, found a string, at inner.*")
    let missing = try self.error(decoding: New.self, from: coder.encode(["secret": "hunter2"]))
    #expect(missing.problem == .missingKey("inner") && missing.path == "")
  }

  @Test func otherBytesAreNotAPropertyList() throws {
    for text in ["", "bplist00", "hunter2", "{ hunter2 = hunter3; }", "<plist><dict/></plist>"] {
      let error = try self.error(decoding: [String: String].self, from: Array(text.utf8))
      let isShort = text == "bplist00"
      #expect(
        error.reason == (isShort ? "invalid or truncated trailer" : "not a binary property list"))
    }
    let cut = try coder.encode(["hunter2"]).dropLast()
    #expect(throws: ValueCodingError.self) { try coder.decode([String].self, from: Array(cut)) }
  }

  @Test func decodingErrorOmitsItsContent() throws {
    let bytes = try coder.encode(["hunter2"])
    let error = try self.error(decoding: [Picky].self, from: bytes)
    #expect(error.problem == .codableFailed(error: "Complaint"))
  }

  @Test func errorsOmitTheValue() throws {
    let text = "hunter2"
    let stored = [
      Array(text.utf8), try coder.encode([text]), try coder.encode([text: text]),
      try coder.encode(Old(secret: text, inner: [text: text])), [0xff, 0xff] + Array(text.utf8),
    ]
    for bytes in stored {
      let types: [any Decodable.Type] = [
        New.self, Picky.self, Int.self, Bool.self, UUID.self, Date?.self, [Int: Int].self,
      ]
      for type in types {
        let error = #expect(throws: ValueCodingError.self, "\(type) \(bytes)") {
          _ = try coder.decode(type, from: bytes)
        }
        guard let error else { continue }
        var dumped = ""
        dump(error, to: &dumped)
        #expect(
          !"\(error) \(String(reflecting: error)) \(dumped)".contains("hunter"),
          "\(type) \(bytes)")
      }
    }
  }

  private func error(
    decoding type: (some Decodable).Type, from bytes: [UInt8],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ValueCodingError {
    try #require(throws: ValueCodingError.self, sourceLocation: sourceLocation) {
      try coder.decode(type, from: bytes)
    }
  }
}

import FoundationEssentials
import Testing

@testable import ValueFormats

/// The errors of settings, which have parts of values, and those of secrets, which have none.
struct InvalidValueTests {
  private struct Many: RawRepresentable, CaseIterable, Codable {
    static let allCases = (0..<30).compactMap(Many.init)
    let rawValue: Int

    init?(rawValue: Int) {
      guard 0..<30 ~= rawValue else { return nil }
      self.rawValue = rawValue
    }
  }

  private enum Level: String, CaseIterable, Codable { case info, debug }

  private struct Refusing: Decodable {
    struct Complaint: Error { var text = "secret" }
    init(from decoder: any Decoder) throws { throw Complaint() }
  }

  private func error<Value: Decodable>(
    decoding type: Value.Type, from tree: ValueTree
  ) throws -> InvalidValue {
    try #require(throws: InvalidValue.self) { try TreeDecoder().decodeSetting(type, from: tree) }
  }

  @Test func casesAreListedUpToALimit() throws {
    let tree = ValueTree.array([.number(.integer(5)), .number(.integer(30))])
    let error = try self.error(decoding: [Many].self, from: tree)
    #expect(error.path == [.index(1)])
    #expect(error.found == "30")
    let names = (0..<20).map(String.init).joined(separator: ", ")
    #expect(error.reason == "expected one of \(names), …")
  }

  @Test func optionalAndNestedCasesAreListed() throws {
    let tree = ValueTree.dictionary(["a": .array([.null(depth: 0), .string("verbose")])])
    let error = try self.error(decoding: [String: [Level?]].self, from: tree)
    #expect(error.path == [.key("a"), .index(1)])
    #expect(error.found == "\"verbose\"")
    #expect(error.reason == "expected one of info, debug")
  }

  @Test func errorOfATypeIsNamedWithoutItsText() throws {
    let error = try self.error(decoding: [Refusing].self, from: .array([.bool(true)]))
    #expect(error.found == nil)
    #expect(error.reason == "its Codable implementation threw an error of type Complaint")
  }

  @Test func errorOfASecretHasNeitherValueNorCases() throws {
    let error = try #require(throws: ValueCodingError.self) {
      try TreeDecoder(.foundation).decode(Level.self, from: .string("verbose"))
    }
    #expect(error.reason == "the stored value is not valid for this type")
    let setting = try #require(throws: ValueCodingError.self) {
      try TreeDecoder().decode(Level.self, from: .string("verbose"))
    }
    #expect(setting.reason == "expected one of info, debug")
  }
}

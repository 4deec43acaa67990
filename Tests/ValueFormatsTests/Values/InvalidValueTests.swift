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
    try #require(throws: InvalidValue.self) {
      try TreeDecoder().decodeSetting(type, from: tree, size: 0, defaults: nil)
    }
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

  @Test func valueOfAnotherTypeHasTheCases() throws {
    for tree in [ValueTree.number(.integer(7)), .null(depth: 0), .array([])] {
      let error = try self.error(decoding: [Level].self, from: .array([tree]))
      #expect(error.path == [.index(0)] && error.found == tree.shown)
      #expect(error.reason == "expected one of info, debug")
    }
    #expect(
      try error(decoding: Many.self, from: .string("5")).reason.hasPrefix("expected one of 0"))
  }

  private struct Name: RawRepresentable, Codable {
    let rawValue: String
    init?(rawValue: String) { return nil }
  }

  @Test func rawValueIsShortened() throws {
    let text = String(repeating: "x", count: 100)
    let error = try error(decoding: Name.self, from: .string(text))
    #expect(error.found == "\"\(text.prefix(40))…\"")
    #expect(error.reason == "the stored value is not valid for this type")
  }

  /// An enumeration with its own code.
  private enum Choosy: String, CaseIterable, Decodable {
    case one

    init(from decoder: any Decoder) throws {
      if try decoder.singleValueContainer().decode([String: String].self).isEmpty {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "It is empty."))
      }
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: [IndexKey(intValue: 0)], debugDescription: "Cannot initialize it."))
    }
  }

  @Test func descriptionOfATypeIsKept() throws {
    #expect(try error(decoding: Choosy.self, from: .dictionary([:])).reason == "It is empty")
    let full = ValueTree.dictionary(["a": .string("b")])
    #expect(try error(decoding: Choosy.self, from: full).reason == "Cannot initialize it")
    let text = try error(decoding: Choosy.self, from: .string("one"))
    #expect(text.reason == "expected a dictionary")
  }

  @Test func integerHasItsRange() throws {
    let large = try error(decoding: UInt8.self, from: .number(.integer(256)))
    #expect(large.reason == "the number is out of range for UInt8, from 0 to 255")
    let fraction = try error(decoding: UInt8.self, from: .number(.real(1.5)))
    #expect(fraction.reason == "the number is out of range for UInt8")
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

import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Structures whose missing members are those of a default value.
struct PartialStructureTests {
  private struct Server: Codable, Equatable {
    var host = "localhost"
    var port = 8443
    var proxy: Proxy?
    var timeout = Duration.seconds(90)
    var since = Date(timeIntervalSinceReferenceDate: 0.5)
  }

  private struct Proxy: Codable, Equatable {
    var host = "proxy"
    var port = 3128
  }

  private struct Cluster: Codable, Equatable {
    var main = Server(proxy: Proxy())
    var named = ["a": Server(port: 1), "b": Server(port: 2)]
    var others = [Server(port: 3)]
    var shape = Shape.rectangle(width: 1, height: 2)
  }

  private enum Shape: Codable, Equatable {
    case rectangle(width: Int, height: Int)
    case circle(radius: Int)
  }

  private func decoded<Value: Codable>(
    _ json: String, default value: Value
  ) throws -> Value {
    try JSONFormat().decode(ArraySlice(json.utf8)).completed(as: Value.self) {
      () throws(ValueCodingError) in try TreeEncoder().encode(value)
    }
  }

  private func reason<Value: Codable>(_ json: String, default value: Value) throws -> String {
    try #require(
      #expect(throws: ValueCodingError.self) { try decoded(json, default: value) }
    ).reason
  }

  @Test func missingMembersAreThoseOfTheDefaultValue() throws {
    #expect(try decoded("{}", default: Server()) == Server())
    #expect(try decoded(#"{"host": "x"}"#, default: Server()) == Server(host: "x"))
    #expect(try decoded(#"{"port": 1, "prot": 2}"#, default: Server()) == Server(port: 1))
    #expect(try decoded(#"{"host": "x"}"#, default: Server?.some(Server())) == Server(host: "x"))
    var cluster = Cluster()
    cluster.main.host = "x"
    #expect(
      try decoded(#"{"main": {"host": "x", "proxy": {}}}"#, default: Cluster()) == cluster)
    cluster.shape = .rectangle(width: 1, height: 5)
    #expect(
      try decoded(
        #"{"main": {"host": "x", "proxy": {}}, "shape": {"rectangle": {"height": 5}}}"#,
        default: Cluster()) == cluster)
  }

  @Test func absentOptionalsAreNilAndDictionariesGetNoEntries() throws {
    #expect(try decoded("{}", default: Server(proxy: Proxy())).proxy == nil)
    #expect(try decoded(#"{"proxy": null}"#, default: Server(proxy: Proxy())).proxy == nil)
    #expect(try decoded(#"{"main": {}}"#, default: Cluster()).main.proxy == nil)
    #expect(try decoded("{}", default: ["a": 1]) == [:])
    let cluster = try decoded(#"{"named": {"b": {"host": "x"}}}"#, default: Cluster())
    #expect(cluster.named == ["b": Server(host: "x", port: 2)])
    #expect(cluster.others == Cluster().others)
  }

  @Test func elementsOfArraysAndNewEntriesHaveNoDefault() throws {
    #expect(
      try reason(#"{"others": [{"host": "x"}]}"#, default: Cluster())
        == "the key port is missing, at others[*]")
    #expect(
      try reason(#"{"named": {"c": {"host": "x"}}}"#, default: Cluster())
        == "the key port is missing, at named.*")
    #expect(
      try reason(#"{"shape": {"circle": {}}}"#, default: Cluster())
        == "the key radius is missing, at shape.circle")
    #expect(
      try reason(#"{"proxy": {"host": "x"}}"#, default: Server())
        == "the key port is missing, at proxy")
    #expect(try reason("{}", default: Server?.none) == "the key host is missing")
    #expect(try reason(#"[{}]"#, default: [Server()]) == "the key host is missing, at [*]")
  }

  @Test func aWrongMemberIsTheErrorBesideAMissingOne() throws {
    #expect(
      try reason(#"{"port": "1"}"#, default: Server())
        == "expected a number, found a string, at port"
    )
    #expect(
      try reason(#"{"main": {"port": null}}"#, default: Cluster())
        == "expected a number, found null, at main.port")
    #expect(try reason("[]", default: Server()) == "expected a dictionary, found an array")
  }

  /// A member under another spelling of its key is present.
  @Test func canonicallyEquivalentKeysArePresent() throws {
    struct Menu: Codable, Equatable {
      struct Item: Codable, Equatable { var price = 2, count = 3 }
      var café = Item()
    }
    let menu = try decoded("{\"cafe\u{301}\": {\"price\": 1}}", default: Menu())
    #expect(menu == Menu(café: Menu.Item(price: 1, count: 3)))
  }

  /// The default value is complete, and has every key of the new form.
  @Test func handWrittenDecodersFindOnlyStoredMembers() throws {
    struct Migrating: Codable, Equatable {
      enum CodingKeys: CodingKey { case address, host, port, title, retries }
      var host = "localhost"
      var port = 8443
      var title = "default"
      var retries = 3

      init() {}

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        retries = (try? container.decode(Int.self, forKey: .retries)) ?? 0
        if container.contains(.host) {
          host = try container.decode(String.self, forKey: .host)
        } else {
          host = try container.decodeIfPresent(String.self, forKey: .address) ?? "none"
        }
        port = try container.decodeIfPresent(Int.self, forKey: .port) ?? 80
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(host, forKey: .host)
        try container.encode(port, forKey: .port)
        try container.encode(title, forKey: .title)
        try container.encode(retries, forKey: .retries)
      }
    }
    var expected = Migrating()
    (expected.host, expected.port, expected.retries) = ("x", 80, 0)
    #expect(try decoded(#"{"address": "x"}"#, default: Migrating()) == expected)
    expected.host = "none"
    #expect(try decoded("{}", default: Migrating()) == expected)
    (expected.host, expected.port, expected.title) = ("y", 1, "new")
    #expect(
      try decoded(#"{"host": "y", "port": 1, "title": "new"}"#, default: Migrating()) == expected)
  }

  @Test func errorsOfAnotherDecoderWithinATypeAreFinal() throws {
    struct Embedded: Codable {
      enum CodingKeys: CodingKey { case port, json }
      struct Inner: Decodable { let port: Int }
      var port = 1

      init() {}

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let json = Data(try container.decode(String.self, forKey: .json).utf8)
        port =
          try container.decodeIfPresent(Int.self, forKey: .port)
          ?? JSONDecoder().decode(Inner.self, from: json).port
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(port, forKey: .port)
        try container.encode("{}", forKey: .json)
      }
    }
    #expect(try reason(#"{"json": "{}"}"#, default: Embedded()) == "the key port is missing")
    #expect(try reason("{}", default: Embedded()) == "the key port is missing")
  }

  struct Unencodable: Codable {
    var a = 1
    init() {}
    func encode(to encoder: any Encoder) throws { throw TreeCodingErrorTests.OwnError() }
  }

  /// A type that encodes another value than it decodes.
  struct Asymmetric: Codable {
    var number = 1
    var name = "x"
    init() {}
    func encode(to encoder: any Encoder) throws {
      try ["number": "one", "name": "x"].encode(to: encoder)
    }
  }

  @Test func theFirstErrorStandsIfTheDefaultValueHasNoSuchMember() throws {
    #expect(try reason("{}", default: Unencodable()) == "the key a is missing")
    #expect(try reason("{}", default: Asymmetric()) == "the key number is missing")
    #expect(
      try reason(#"{"number": 1}"#, default: Asymmetric?.none) == "the key name is missing")
    #expect(try decoded(#"{"number": 1}"#, default: Asymmetric()).name == "x")
    let tree = ValueTree.dictionary([:])
    #expect(throws: ValueCodingError.self) {
      try tree.completed(as: Server.self, from: nil)
    }
  }

  /// Random values of random types, of which members are missing at random, in each format.
  @Test(arguments: KeyValueFormat.allCases) func aPartialValueIsCompletedLikeTheModel(
    _ format: KeyValueFormat
  ) throws {
    var random = SplitMix64()
    var counts = (complete: 0, completed: 0, refused: 0)
    for number in 0..<Campaign.size(sample: 3_000, full: 100_000) {
      let type = RandomType.structure(using: &random)
      let value = RandomStructure(type, isComplete: true, using: &random)
      let stored = RandomStructure(type, isComplete: false, using: &random)
      let bytes = try format.coding.encode(try TreeEncoder().encode(stored))
      let tree = try format.coding.decode(bytes[...])
      var encodings = 0
      let decoded = Result {
        try RandomStructure.$type.withValue(type) {
          try tree.completed(as: RandomStructure.self) {
            () throws(ValueCodingError) in
            encodings += 1
            return try TreeEncoder().encode(value)
          }
        }
      }
      let comment: Comment = "value \(number) of seed \(random.seed)"
      let isComplete = stored.completed(from: nil, type) != nil
      try #require(encodings == (isComplete ? 0 : 1), comment)
      switch (decoded, stored.completed(from: value, type)) {
      case (.success(let decoded), let expected?):
        try #require(decoded == expected, comment)
        if isComplete { counts.complete += 1 } else { counts.completed += 1 }
      case (.failure(let error as ValueCodingError), nil):
        guard case .missingKey = error.problem else { throw error }
        counts.refused += 1
      default: Issue.record("\(decoded), \(comment)")
      }
    }
    #expect(counts.complete > 100 && counts.completed > 100 && counts.refused > 100, "\(counts)")
  }
}

extension ValueTree {
  fileprivate func completed<Value: Decodable>(
    as type: Value.Type, from defaultTree: (() throws(ValueCodingError) -> ValueTree)?
  ) throws(ValueCodingError) -> Value {
    do {
      return try decoded(as: type, recording: nil, default: defaultTree)
    } catch {
      throw ValueCodingError(decoding: type, error)
    }
  }
}

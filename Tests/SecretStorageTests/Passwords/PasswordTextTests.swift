import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

/// Properties in a store of text, which decode it by their type.
@Suite(.expectsFailures)
struct PasswordTextTests {
  enum Mode: String, Codable { case push, pull }
  enum Level: Int, Codable { case high = 1 }

  struct Server: Codable, Equatable {
    var port: Int
    var mode: Mode?
    var key: Data?
  }

  private let store = ScriptedStore(isText: true)

  private func item<Value>(
    _ bytes: [UInt8], as type: Value.Type, _ policy: RefreshPolicy = .onAccess
  ) throws -> PasswordItem<Value> {
    let identity = ItemIdentity.generic(service: "\(UUID())")
    _ = try store.content.add(Secret(bytes), identity: identity, attributes: ItemAttributes())
    return PasswordItem(identity, refreshPolicy: policy, in: store)
  }

  private func expect<Value: Codable & Equatable & Sendable>(
    _ text: String, is value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bytes = Array(text.utf8)
    #expect(
      try item(bytes, as: Value.self).loadNow() == value, sourceLocation: sourceLocation)
    #expect(
      try item(bytes, as: Value?.self).loadNow() == .some(value), sourceLocation: sourceLocation)
  }

  private func expect<Value: Codable & Sendable>(
    _ bytes: [UInt8], isNo type: Value.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let item = try item(bytes, as: type)
    #expect(throws: SecretStoreError.undecodable("\(type)"), sourceLocation: sourceLocation) {
      try item.loadNow()
    }
    #expect(item.value == nil && item.status == .corrupted, sourceLocation: sourceLocation)
  }

  private func expect<Value: Codable & Sendable>(
    _ text: String, isNo type: Value.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) throws { try expect(Array(text.utf8), isNo: type, sourceLocation: sourceLocation) }

  @Test func integersOfEachSize() throws {
    func check<Integer: FixedWidthInteger & Codable & Sendable>(_ type: Integer.Type) throws {
      try expect("\(Integer.max)", is: Integer.max)
      try expect("\(Integer.min)", is: Integer.min)
      // Eight digits are not the eight bytes of an integer.
      try expect("00000007", is: 7 as Integer)
      for text in ["\(Integer.max)0", "", "x", "1.5", " 1", "1\n", "0x10", "\u{1}"] {
        try expect(text, isNo: type)
      }
    }
    try check(Int.self)
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
    try check(Int128.self)
    try check(UInt128.self)
  }

  @Test func otherScalars() throws {
    for text in ["true", "YES", "on", "1"] { try expect(text, is: true) }
    for text in ["false", "no", "off", "0"] { try expect(text, is: false) }
    for text in ["", "2", "treu", "\u{1}"] { try expect(text, isNo: Bool.self) }
    try expect("0.1", is: 0.1)
    try expect("-1e-3", is: Float(-0.001))
    try expect("0x1", isNo: Double.self)
    for text in ["8443", "", "true", "{", "\"x\"", "é", " x\n", "bplist00"] {
      try expect(text, is: text)
    }
    let url = try #require(URL(string: "postgres://user:pw@host:5432/db"))
    try expect(url.absoluteString, is: url)
    try expect("", isNo: URL.self)
    try expect("2026-11-21T15:46:38.25Z", is: Date(timeIntervalSince1970: 1_795_275_998.25))
    try expect("yesterday", isNo: Date.self)
    try expect("0.25", is: Duration.milliseconds(250))
    let id = UUID()
    try expect(id.uuidString, is: id)
    try expect("pull", is: Mode.pull)
    try expect("1", is: Level.high)
    try expect("drag", isNo: Mode.self)
  }

  @Test func dataIsTheBytesAndAnythingElseIsUTF8() throws {
    let bytes: [UInt8] = [0xFF, 0, 0x80, 10]
    #expect(try item(bytes, as: Data.self).loadNow() == Data(bytes))
    #expect(try item(bytes, as: Data?.self).loadNow() == .some(Data(bytes)))
    #expect(try item([], as: Data.self).loadNow() == Data())
    let types: [any (Codable & Sendable).Type] = [
      String.self, Int.self, UInt8.self, Double.self, Bool.self, URL.self, Date.self, Server.self,
      [Int].self, String?.self,
    ]
    for type in types { try expect(bytes, isNo: type) }
  }

  @Test func structuresArraysAndDictionariesAreJSON() throws {
    let server = Server(port: 8443, mode: .pull, key: Data([1, 2, 255]))
    try expect(#"{"port": 8443, "mode": "pull", "key": "AQL/"}"#, is: server)
    try expect("[1, 2]", is: [1, 2])
    try expect(#"{"a": ["b"]}"#, is: ["a": ["b"]])
    for text in ["8443", "{", "[1]", #"{"port": "canary"}"#, #"{"mode": "push"}"#] {
      try expect(text, isNo: Server.self)
    }
    try expect(String(repeating: "[", count: 100_000), isNo: [Int].self)
    #expect(try item(Array("null".utf8), as: Int?.self).loadNow() == .some(nil))
  }

  @Test func everyWayToReadDecodesText() async throws {
    for policy in [RefreshPolicy.onAccess, .onChange] {
      #expect(try item(Array("8443".utf8), as: Int.self, policy).value == 8443)
    }
    let manual = try item(Array("8443".utf8), as: Int.self, .manual)
    #expect(try await manual.load(authorizedBy: AuthenticationContext()) == 8443)
    #expect(try await manual.load() == 8443)
    let changed = try item(Array("8443".utf8), as: Int.self)
    var old: Int?
    func change(_ value: inout Int?) { old = value }
    change(&changed.value)
    #expect(old == 8443)
  }

  @Test func noMessageHasTheText() throws {
    for type in [Int.self, Server.self, [Int].self, Date.self, Mode.self]
      as [any (Codable & Sendable).Type]
    {
      for text in ["canary", #"{"port": "canary"}"#, #"{"canary": "#, "[\"canary\"]"] {
        func check<Value: Codable & Sendable>(_ type: Value.Type) throws {
          let item = try item(Array(text.utf8), as: type)
          #expect { try item.loadNow() } throws: { !"\($0)".contains("canary") }
          #expect(!"\(item.status)".contains("canary"))
        }
        try check(type)
      }
    }
  }
}

extension PasswordItem {
  // Inside of an asynchronous function, `load()` is the asynchronous method.
  fileprivate func loadNow() throws -> Value? { try load() }
}

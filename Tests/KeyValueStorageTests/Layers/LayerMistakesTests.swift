import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Mistakes in layers, and members that no layer has.
struct LayerMistakesTests {
  private struct Server: Codable, Equatable, Sendable {
    struct Proxy: Codable, Equatable, Sendable {
      var host = "proxy"
      var port = 3128
    }

    var host = "localhost"
    var port = 8443
    var proxy = Proxy()
  }

  private let files: LayerFiles

  init() throws { files = try LayerFiles() }

  private func server(_ store: KeyValueStore) -> StoredValue<Server> {
    StoredValue(wrappedValue: Server(), "server", in: store)
  }

  /// Returns the description of a mistake up to its reason.
  private func mistake(_ setting: StoredValue<some Codable & Sendable>) throws -> String {
    let error = try #require(setting.error)
    return try #require("\(error)".split(separator: ". Correct it").first.map(String.init))
  }

  @Test func theirPlaceIsThatOfTheLayerWithTheInvalidPart() throws {
    let system = """
      <plist version="1.0"><dict><key>server</key>
      <dict><key>port</key>
      <string>x</string></dict><key>number</key><true/></dict></plist>
      """
    try Data(system.utf8).write(to: files.system)
    try files.writeUser("{\n  \"server\": {\"host\": \"user\"},\n  \"mode\": 1\n}")
    let store = files.open(["NOTES_COUNT": "many", "NOTES_SERVER__HOST": "variable"])
    #expect(
      try mistake(server(store))
        == "\(files.system.path), line 3, column 1: server.port is a string, expected a number")
    #expect(
      try mistake(StoredValue(wrappedValue: 0, "number", in: store))
        == "\(files.system.path), line 3, column 43: number is a Boolean, expected a number")
    #expect(
      try mistake(StoredValue(wrappedValue: "", "mode", in: store))
        == "\(files.user.path), line 3, column 11: mode is a number, expected a string")
    #expect(
      try mistake(StoredValue(wrappedValue: 0, "count", in: store))
        == "NOTES_COUNT in the environment: count is invalid: expected a number")
  }

  @Test func aMistakeIsToldWhenTheStoreReadsTheLayers() throws {
    let store = files.open(["NOTES_LEVEL": "loud"])
    let level = StoredValue(wrappedValue: 1, "level", in: store)
    // Another property is read, not this one.
    _ = StoredValue(wrappedValue: 0, "other", in: store).wrappedValue
    let expected = KeyValueStoreError.undecodable(
      UndecodableValue(
        store: "NOTES_LEVEL in the environment", key: "level", type: "Int",
        reason: "is invalid: expected a number"))
    try wait { ReportedFailures.count(of: expected) == 1 }
    #expect(level.wrappedValue == 1 && level.error == expected)
  }

  @Test func aMemberThatNoLayerHasIsThatOfTheDefaultValue() throws {
    try files.writeUser(#"{"server": {"proxy": {"host": "user"}}}"#)
    #expect(
      server(files.open(["NOTES_SERVER__HOST": "variable"])).wrappedValue
        == Server(host: "variable", proxy: .init(host: "user")))
    #expect(
      server(files.open(["NOTES_SERVER__PROXY__PORT": "1"])).wrappedValue
        == Server(proxy: .init(host: "user", port: 1)))
    #expect(server(files.open(arguments: ["--server", "{}"])).wrappedValue.proxy.host == "user")
    try files.writeUser("{}")
    #expect(
      server(files.open(["NOTES_SERVER__PROXY__PORT": "1"])).wrappedValue
        == Server(proxy: .init(port: 1)))
    #expect(server(files.open(["NOTES_SERVER__PROXY__PORT": "1"])).error == nil)
  }

  @Test func aMemberOfAnEntryComesFromTheEntryOfTheDefaultValue() throws {
    try files.writeUser(#"{"servers": {"a": {"host": "user"}, "c": {"host": "c"}}}"#)
    try files.systemStore.set(["b": Server()], for: "servers")
    let servers = StoredValue(
      wrappedValue: ["a": Server(port: 1), "b": Server(port: 2)], "servers", in: files.open())
    // The default value has no entry "c".
    #expect(
      try mistake(servers)
        == "\(files.user.path), line 1, column 42: servers.c.port is missing")
    try files.writeUser(#"{"servers": {"a": {"host": "user"}}}"#)
    #expect(try servers.load() == ["a": Server(host: "user", port: 1)])
  }

  @Test func unreadKeysHaveTheirPlaceInEachLayer() throws {
    try files.writeUser("{\n \"server\": {\"hots\": 1},\n \"sevrer\": 2\n}")
    try files.systemStore.set(["host": "system", "prot": "1"], for: "server")
    try files.systemStore.set(1, for: "number")
    let store = files.open(["NOTES_SERVER__PORT": "2", "NOTES_NUMBR": "1"])
    let (server, number) = (server(store), StoredValue(wrappedValue: 0, "number", in: store))
    #expect(server.wrappedValue == Server(host: "system", port: 2) && number.wrappedValue == 1)
    #expect(
      try store.unreadKeys().map { "\($0.store):\($0.line ?? 0) \($0.keyPath)" } == [
        "\(files.user.path):2 server.hots", "\(files.user.path):3 sevrer",
        "\(files.system.path):12 server.prot",
      ])
    #expect(store.unusedNames() == [.environment(variable: "NOTES_NUMBR")])
  }

  @Test func asynchronousSetsOfOverriddenKeysThrow() async throws {
    try files.writeUser(#"{"number": 1}"#)
    let store = files.open(["NOTES_NUMBER": "2"])
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    await #expect(throws: KeyValueStoreError.self) { try await number.save(3) }
    await #expect(throws: KeyValueStoreError.self) { try await store.set(3, for: "number") }
    #expect(try await number.load() == 2)
    try await store.set(4, for: "other")
    try await store.remove("number")
    #expect(try await files.userStore.keys() == ["other"])
  }

  @Test func anotherNotationInALayerIsNoChange() throws {
    try files.writeUser(#"{"server": {"port": 1}, "end": 0}"#)
    let store = files.open(["NOTES_SERVER__HOST": "variable"])
    let (servers, ends) = (Heard<Server>(), Heard<Int>())
    let observations = [
      server(store).observe { servers.hear($1) },
      StoredValue(wrappedValue: 0, "end", in: store).observe { ends.hear($1) },
    ]
    for (index, json) in [
      #"{"server": { "port": 1.0 }, "end": 1}"#, #"{"server": {"host": "x", "port": 1}, "end": 2}"#,
      #"{"server": {"host": "x", "port": 3}, "end": 3}"#,
    ].enumerated() {
      try files.writeUser(json)
      try store.load()
      try wait { ends.all.count == index + 1 }
    }
    try wait { servers.all.count == 1 }
    #expect(servers.all == [Server(host: "variable", port: 3)])
    observations.forEach { $0.cancel() }
  }

  @Test(arguments: [#""name": 1, "name": 2"#, #""name": "\ud800""#])
  func aValueThatOnlyDecodingRejectsIsThatOfItsFile(_ member: String) throws {
    let system = files.temporary.url.appending(path: "system.json")
    let padding = String(repeating: " ", count: 2000)
    try Data("{\"server\":\(padding){\"port\": 1,\n \(member)}}".utf8).write(to: system)
    try files.writeUser(#"{"server": {"host": "a"}}"#)
    let store = KeyValueStore(layers: [.json(files.user), .json(system)])
    let server = server(store)
    #expect(try mistake(server).hasPrefix("\(system.path), line 2, column "))
    #expect(server.wrappedValue == Server())
  }

  private enum Shape: Codable, Sendable { case circle(radius: Int), square(side: Int) }

  @Test func aMissingMemberIsMissingFromTheLayerWithItsStructure() throws {
    let system = files.temporary.url.appending(path: "system.json")
    try Data(#"{"shape": {"circle": {"radius": "x"}}}"#.utf8).write(to: system)
    try files.writeUser(#"{"shape": {"circle": {}}}"#)
    let store = KeyValueStore(layers: [.json(files.user), .json(system)])
    #expect(
      try mistake(StoredValue(wrappedValue: Shape.square(side: 1), "shape", in: store))
        == "\(files.user.path), line 1, column 22: shape.circle.radius is missing")
  }

  @Test func anUnreadableFileLeavesTheOtherKindsOfLayers() throws {
    try Data("<plist".utf8).write(to: files.system)
    try files.writeUser(#"{"port": 1}"#)
    let store = files.open(["NOTES_LEVEL": "2"], arguments: ["--port", "9000"])
    let port = StoredValue(wrappedValue: 8443, "port", in: store)
    #expect(port.wrappedValue == 9000)
    #expect(StoredValue(wrappedValue: 0, "level", in: store).wrappedValue == 2)
    guard case .unreadable? = port.error else {
      Issue.record("\(port.error as Any)")
      return
    }
    port.wrappedValue = 5
    guard case .readOnly? = port.error else {
      Issue.record("\(port.error as Any)")
      return
    }
    #expect(port.wrappedValue == 9000)
    try FileManager.default.removeItem(at: files.system)
    #expect(try port.load() == 9000)
    #expect(try files.userStore.value(of: "port") == 1)
  }

  @Test func aSetHidesInvalidMembersOfLowerLayers() throws {
    struct Proxied: Codable, Equatable, Sendable {
      var host = "a"
      var proxy: String?
    }
    try files.systemStore.set(["proxy": 5], for: "server")
    try files.writeUser("{}")
    let server = StoredValue(wrappedValue: Proxied(), "server", in: files.open())
    server.wrappedValue = Proxied(host: "b")
    #expect(server.error == nil)
    #expect(
      try StoredValue(wrappedValue: Proxied(), "server", in: files.open()).load()
        == Proxied(host: "b"))
  }

  @Test func membersOfOneNameAreAnError() throws {
    struct Limits: Codable, Sendable {
      var maxSize = 1
      var max_size = 1
    }
    func limits(_ store: KeyValueStore) -> StoredValue<Limits> {
      StoredValue(wrappedValue: Limits(), "limits", in: store)
    }
    #expect {
      _ = try limits(files.open(["NOTES_LIMITS__MAX_SIZE": "2"])).load()
    } throws: { "\($0)".contains("\"max_size\"") && "\($0)".contains("NOTES_LIMITS__MAX_SIZE") }
    let arguments = ["--limits:maxSize", "2", "--limits:max_size", "3"]
    let loaded = try limits(files.open(arguments: arguments)).load()
    #expect(loaded.maxSize == 2 && loaded.max_size == 3)
  }

  @Test func aVariableOfAMemberIsNotTheSourceOfANumber() throws {
    try files.writeUser(#"{"volume": 1}"#)
    try files.systemStore.set(2, for: "balance")
    let store = files.open(["NOTES_VOLUME__X": "3", "NOTES_BALANCE__X": "3"])
    #expect(StoredValue(wrappedValue: 0, "volume", in: store).wrappedValue == 1)
    #expect(store.source(of: "volume") == .store(name: store.name))
    #expect(store.source(of: "balance") == .store(name: files.system.path))
  }

  @Test func keysInATextAreNotPrinted() throws {
    let store = files.open(["NOTES_TOKENS": #"{"s3cret": "x"}"#])
    let tokens = StoredValue(wrappedValue: [String: Int](), "tokens", in: store)
    #expect(try mistake(tokens).hasPrefix("NOTES_TOKENS in the environment: tokens is invalid"))
    #expect(try !mistake(tokens).contains("s3cret"))
  }
}

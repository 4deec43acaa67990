import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Values whose members are in several layers.
struct MergedStructureTests {
  private struct Server: Codable, Equatable, Sendable {
    struct Limits: Codable, Equatable, Sendable {
      var requests = 10
      var maximumSize: Int?
    }

    var host = "localhost"
    var port = 80
    var title: String?
    var limits = Limits()
    var tags: [String] = []
    var headers: [String: Int] = [:]
  }

  private enum Shape: Codable, Equatable, Sendable { case circle(radius: Int), square(side: Int) }

  private enum Box: Codable, Equatable, Sendable { case none, some(Server.Limits) }

  private let files: LayerFiles

  init() throws { files = try LayerFiles() }

  private func server(_ store: KeyValueStore) -> StoredValue<Server> {
    StoredValue(wrappedValue: Server(), "server", in: store)
  }

  private func writeSystem() throws {
    try files.systemStore.set(
      Server(
        host: "system", port: 1, title: "System", limits: .init(requests: 2, maximumSize: 3),
        tags: ["a"], headers: ["x": 1]), for: "server")
  }

  @Test func eachMemberIsThatOfTheFirstLayer() throws {
    try writeSystem()
    try files.writeUser(#"{"server": {"port": 4, "limits": {"requests": 5}}}"#)
    let store = files.open(
      [
        "NOTES_SERVER": #"{"host": "variable", "title": "Variable"}"#, "NOTES_SERVER__TITLE": "Own",
      ],
      arguments: ["--server:limits:maximumSize", "6"])
    let expected = Server(
      host: "variable", port: 4, title: "Own", limits: .init(requests: 5, maximumSize: 6),
      tags: ["a"], headers: ["x": 1])
    #expect(server(store).wrappedValue == expected)
    #expect(server(store).error == nil)
    #expect(server(store).source == .commandLine(option: "--server:limits:maximumSize"))
    #expect(
      try files.open(["NOTES_SERVER__LIMITS__MAXIMUM_SIZE": "8"])
        .value(of: "server", as: Server.self)?.limits.maximumSize == 8)
    // The first underscore belongs to the key.
    #expect(
      try files.open(["NOTES_LIMITS___REQUESTS": "7"])
        .value(of: "limits.", as: Server.Limits.self)?.requests == 7)
  }

  @Test func arraysDictionariesAndEnumerationsAreNotMerged() throws {
    try writeSystem()
    try files.systemStore.set(["x": 1, "y": 2], for: "dictionary")
    try files.systemStore.set([1, 2, 3], for: "array")
    try files.systemStore.set(Shape.circle(radius: 1), for: "shape")
    try files.writeUser(
      """
      {"server": {"tags": ["b"], "headers": {"y": 2}}, "dictionary": {"z": 3}, "array": [4],
       "shape": {"square": {"side": 2}}}
      """)
    let store = files.open()
    #expect(server(store).wrappedValue.tags == ["b"])
    #expect(server(store).wrappedValue.headers == ["y": 2])
    #expect(server(store).wrappedValue.host == "system")
    #expect(try store.value(of: "dictionary") == ["z": 3])
    #expect(try store.value(of: "array") == [4])
    #expect(try store.value(of: "shape") == Shape.square(side: 2))
  }

  @Test func structuresInsideOfOtherValuesAreNotMerged() throws {
    let limits = Server.Limits(requests: 1, maximumSize: 2)
    try files.systemStore.set(["x": limits], for: "dictionary")
    try files.systemStore.set([limits], for: "array")
    try files.systemStore.set(Box.some(limits), for: "box")
    try files.writeUser(
      """
      {"dictionary": {"x": {"requests": 3}}, "array": [{"requests": 4}],
       "box": {"some": {"_0": {"requests": 5}}}}
      """)
    let store = files.open()
    #expect(try store.value(of: "dictionary") == ["x": Server.Limits(requests: 3)])
    #expect(try store.value(of: "array") == [Server.Limits(requests: 4)])
    #expect(try store.value(of: "box") == Box.some(Server.Limits(requests: 5)))
  }

  @Test func memberOfALayerHidesThoseBelowEvenIfItIsInvalid() throws {
    try writeSystem()
    try files.writeUser(#"{"server": {"port": "x"}}"#)
    #expect(server(files.open()).error != nil)
    try files.writeUser(#"{"server": 5}"#)
    #expect(server(files.open()).error != nil)
    try files.writeUser(#"{"server": {"title": null}}"#)
    #expect(server(files.open()).wrappedValue.title == nil)
    #expect(server(files.open()).wrappedValue.port == 1)
  }

  @Test func setStructureIsReadAsItWasSet() throws {
    try writeSystem()
    let store = files.open()
    var expected = Server(host: "mine", port: 9)
    for _ in 0..<2 {
      server(store).wrappedValue = expected
      #expect(server(store).wrappedValue == expected)
      #expect(server(files.open()).wrappedValue == expected)
      expected.title = "Mine"
      expected.limits.maximumSize = 4
    }
    try store.set(Server(), for: "server")
    #expect(try server(store).load() == Server())
    server(store).wrappedValue.port += 1
    #expect(server(files.open()).wrappedValue == Server(port: 81))
    #expect(try files.systemStore.value(of: "server", as: Server.self)?.title == "System")
    try store.remove("server")
    #expect(server(store).wrappedValue.title == "System")
  }

  @Test func structureWithAnOverriddenMemberIsNotSet() throws {
    let store = files.open(["NOTES_SERVER__PORT": "1"])
    #expect {
      try server(store).save(Server(port: 2))
    } throws: { "\($0)".contains("NOTES_SERVER__PORT in the environment") }
    // Without another layer, the other members are missing, as in a file with this member only.
    #expect(throws: KeyValueStoreError.self) { try store.value(of: "server", as: Server.self) }
    try files.userStore.set(Server(), for: "server")
    #expect(try server(store).load() == Server(port: 1))
  }

  @Test func keyOfAnotherTypeIgnoresVariablesOfMembers() throws {
    try files.writeUser(#"{"a": 5, "b": {"x": 1}, "c": [1]}"#)
    let store = files.open(["NOTES_A__X": "1", "NOTES_B__Y": "2", "NOTES_C__X": "3"])
    #expect(try store.value(of: "a") == 5)
    #expect(try store.value(of: "b") == ["x": 1])
    #expect(try store.value(of: "c") == [1])
    #expect(throws: KeyValueStoreError.self) {
      try files.open(["NOTES_D__X": "1"]).value(of: "d", as: Int.self)
    }
  }
}

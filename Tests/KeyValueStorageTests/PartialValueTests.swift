import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Settings whose structures lack members in the file.
struct PartialValueTests {
  private struct Server: Codable, Equatable, Sendable {
    var host = "localhost"
    var port = 8443
    var proxy: String?
    var timeout = Duration.seconds(90)
  }

  private let stored = ["host": "x"]

  @Test(arguments: KeyValueFormat.allCases)
  func missingMembersAreThoseOfTheDefaultValue(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let store = file.open()
    try store.set(stored, for: "server")
    let bytes = try file.bytes
    let server = StoredValue(wrappedValue: Server(proxy: "proxy"), "server", in: store)
    #expect(server.wrappedValue == Server(host: "x"))
    #expect(server.error == nil)
    #expect(try server.load() == Server(host: "x"))
    #expect(try file.bytes == bytes)

    // A change in place writes the whole structure.
    server.wrappedValue.port += 1
    #expect(server.error == nil)
    #expect(try file.open().value(of: "server") == Server(host: "x", port: 8444))
  }

  @Test func observersAndStreamsSeeTheCompleteValue() async throws {
    let store = KeyValueStore()
    let server = StoredValue(wrappedValue: Server(), "server", in: store)
    let heard = Heard<[Server]>()
    let observation = server.observe { heard.hear([$0, $1]) }
    try await store.set(stored, for: "server")
    #expect(heard.wait(for: [Server(), Server(host: "x")]))
    observation.cancel()
    for await value in server.values {
      #expect(value == Server(host: "x"))
      break
    }
  }

  /// Without a property, there is no default value.
  @Test func valuesOfAStoreAreStrict() throws {
    let store = KeyValueStore()
    try store.set(stored, for: "server")
    #expect(throws: KeyValueStoreError.self) { try store.value(of: "server", as: Server.self) }
    let server = StoredValue<Server?>("server", in: store)
    #expect(server.wrappedValue == nil)
    let error = try #require(server.error)
    #expect("\(error)".contains("server.port is missing"))
  }

  @Test func anotherErrorInTheStructureIsTheReason() throws {
    let file = try TestFile()
    try file.overwrite(#"{"server": {"port": "1"}}"#)
    let server = StoredValue(wrappedValue: Server(), "server", in: file.open())
    #expect(server.wrappedValue == Server())
    #expect("\(server.error as Any)".contains("server.port is a string, expected a number"))
  }
}

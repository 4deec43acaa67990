import KeyValueStorage
import TestSupport
import Testing
import Validation

/// The code about checks and default values in the overview of `KeyValueStorage`.
@Suite(.expectsFailures) struct SettingChecksSnippets {
  struct Server: Sendable {
    @StoredValue("port", in: .server, validating: Validator.in(1...65535).firstMessage)
    var port = 8080
    @StoredValue("host", in: .server, validating: { $0.isEmpty ? "expected a name" : nil })
    var host = "localhost"
  }

  @Test func checksAndDefaults() throws {
    let server = Server()
    do {
      try server.$port.save(70000)
    } catch {
      print(error)  // A value of type Int cannot be stored under "port": At most 65535.
    }
    #expect(
      server.$port.error?.description
        == "A value of type Int cannot be stored under \"port\": At most 65535.")
    #expect(server.port == 8080)
    server.host = ""
    #expect(server.host == "localhost")

    try KeyValueStore.server.writeDefaults()
    #expect(server.$port.isSet && server.$host.isSet)
    #expect(server.port == 8080 && server.host == "localhost")

    server.port = 443
    try KeyValueStore.server.set(0, for: "port")
    let message = try #require(server.$port.error).description
    #expect(message.contains("port is 0: At least 1 (type Int)"))
  }
}

extension KeyValueStore {
  fileprivate static let server = KeyValueStore()
}

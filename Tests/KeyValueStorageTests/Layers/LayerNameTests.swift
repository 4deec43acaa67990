import TestSupport
import Testing

@testable import KeyValueStorage

/// The names of options and variables.
struct LayerNameTests {
  init() { ReportedFailures.record() }

  private func store(_ arguments: String...) -> KeyValueStore {
    KeyValueStore(layers: [.commandLine(arguments)])
  }

  private func store(_ variables: [String: String]) -> KeyValueStore {
    KeyValueStore(layers: [.environment(prefix: "NOTES_", variables)])
  }

  @Test func optionIsFollowedByItsValue() throws {
    let store = store(
      "list", "--server.port", "8080", "-v", "--name=a=b", "--empty=", "--offset", "-5",
      "--logLevel",
      "debug", "file", "--", "--other", "1")
    #expect(try store.value(of: "server.port") == 8080)
    #expect(try store.value(of: "name") == "a=b")
    #expect(try store.value(of: "empty") == "")
    #expect(try store.value(of: "offset") == -5)
    #expect(try store.value(of: "logLevel") == "debug")
    #expect(try store.value(of: "other", as: Int.self) == nil)
    #expect(try store.value(of: "v", as: String.self) == nil)
    #expect(try store.value(of: "log_level", as: String.self) == nil)
  }

  @Test func variableHasThePrefix() throws {
    let store = store([
      "NOTES_SERVER_PORT": "8080", "NOTES_LOG_LEVEL": "debug", "PORT": "1", "notes_port": "2",
      "NOTES_": "empty", "NOTESPORT": "3",
    ])
    #expect(try store.value(of: "server.port") == 8080)
    #expect(try store.value(of: "logLevel") == "debug")
    #expect(try store.value(of: "") == "empty")
    #expect(try store.value(of: "port", as: Int.self) == nil)
  }

  @Test func memberIsSeparatedByTwoUnderscores() throws {
    let variables = [
      "NOTES_SERVER__PORT": "1", "NOTES_SERVER__USER_NAME": "u", "NOTES_SERVER__LIMITS__COUNT": "2",
    ]
    let expected = Server(
      port: 1, userName: "u", limits: Server.Limits(count: 2, size: nil))
    let fromVariables = StoredValue(wrappedValue: Server(), "server", in: store(variables))
    #expect(fromVariables.wrappedValue == expected)
    let fromOptions = StoredValue(
      wrappedValue: Server(), "server",
      in: store("--server__port", "1", "--server__userName=u", "--server__limits__count", "2"))
    #expect(fromOptions.wrappedValue == expected)
    #expect(fromVariables.source == .variable("NOTES_SERVER__LIMITS__COUNT"))
    #expect(fromOptions.source == .argument("--server__limits__count"))
  }

  @Test(arguments: [
    (["--port", "1", "--port=2"], "--port: given more than once"),
    (["--port"], "--port: a value is missing; write --port=VALUE"),
    (["--port", "--other=1"], "--port: a value is missing; write --port=VALUE"),
    (["--port=\u{FFFD}"], "--port: not UTF-8"),
    (["--port=1", "--port__x=2"], "--port and --port__x are both given"),
    (["--port__x=1", "--port__x=2"], "--port__x: given more than once"),
  ])
  func invalidOptionIsAnErrorOfItsKey(_ arguments: [String], _ reason: String) throws {
    let store = KeyValueStore(layers: [.commandLine(arguments + ["--level=1"])])
    let error = #expect(throws: KeyValueStoreError.self) {
      try store.value(of: "port", as: Int.self)
    }
    guard case .undecodable(let value)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(value.reason == reason && value.key == "port")
    #expect(try store.value(of: "level") == 1)
  }

  @Test func dictionaryHasNoVariablesOfItsKeys() throws {
    let store = store(["NOTES_LABELS__A": "1"])
    let error = #expect(throws: KeyValueStoreError.self) {
      try store.value(of: "labels", as: [String: Int].self)
    }
    #expect(error?.description.contains("as JSON in one variable") == true)
    #expect(try self.store("--labels__a=1").value(of: "labels") == ["a": 1])
  }

  @Test func twoKeysOfOneNameAreAnError() throws {
    let store = KeyValueStore(layers: [
      .environment(prefix: "NOTES_", ["NOTES_SERVER_PORT": "1"]),
      try .memory { try $0.set(5, for: "serverPort") },
    ])
    let first = StoredValue(wrappedValue: 0, "server.port", in: store)
    #expect(first.wrappedValue == 1 && first.error == nil)
    let second = StoredValue(wrappedValue: 0, "serverPort", in: store)
    let error = KeyValueStoreError.invalid(
      """
      The settings "server.port" and serverPort have the same name in an environment or a command \
      line. Rename one of them.
      """)
    #expect(ReportedFailures.count(of: error) == 1)
    _ = StoredValue(wrappedValue: 0, "serverPort", in: store)
    #expect(ReportedFailures.count(of: error) == 1)
    // The last valid value stays, and neither key has a new one.
    #expect(first.wrappedValue == 1 && second.wrappedValue == 0)
    for (property, other) in [(first, "serverPort"), (second, "\"server.port\"")] {
      guard case .undecodable(let value)? = property.error else {
        Issue.record("\(String(describing: property.error))")
        continue
      }
      #expect(value.reason == "NOTES_SERVER_PORT is also the name of \(other)")
    }
  }

  @Test func keyWithTheNameOfAMemberIsAnError() {
    let store = KeyValueStore(layers: [.commandLine(["--a__b=1"])])
    let member = StoredValue(wrappedValue: 0, "a__b", in: store)
    #expect(member.wrappedValue == 1)
    let structure = StoredValue(wrappedValue: ["b": 0], "a", in: store)
    #expect(structure.wrappedValue == ["b": 0] && structure.error != nil && member.error != nil)
  }

  @Test func keysOfOneNameWithoutItsVariableAreRead() throws {
    let store = KeyValueStore(layers: [
      .environment(prefix: "OTHER_", [:]), try .memory { try $0.set(5, for: "logLevel") },
    ])
    let level = StoredValue(wrappedValue: 0, "logLevel", in: store)
    _ = StoredValue(wrappedValue: 0, "log.level", in: store)
    #expect(level.wrappedValue == 5 && level.error == nil)
  }

  @Test func namesAreComparedByTheirBytes() throws {
    let store = store("--\u{E9}=1", "--e\u{301}=2", "--\u{301}a=3")
    let keys = ["\u{E9}", "e\u{301}", "\u{301}a"]
    let properties = keys.map { StoredValue(wrappedValue: 0, $0, in: store) }
    #expect(properties.map(\.wrappedValue) == [1, 2, 3])
    #expect(properties.allSatisfy { $0.error == nil })
  }

  @Test func namesOfManyPartsAreBounded() throws {
    let name = "a" + String(repeating: "__", count: 100_000)
    let store = store("--\(name)=1")
    #expect(try store.value(of: name) == 1)
    #expect(throws: KeyValueStoreError.self) { try store.value(of: "a", as: Int.self) }
  }

  @Test func layerIsPrintedWithoutItsValues() throws {
    let layers: [KeyValueLayer] = [
      .commandLine(["--password", "hunter2"]), .environment(prefix: "", ["PASSWORD": "hunter2"]),
      try .memory { try $0.set("hunter2", for: "password") },
    ]
    #expect(
      layers.map { "\($0)" } == ["the command line", "the environment", "a store in memory"])
    for layer in layers {
      var dumped = ""
      dump(layer, to: &dumped)
      #expect(!dumped.contains("hunter2") && !String(reflecting: layer).contains("hunter2"))
    }
  }
}

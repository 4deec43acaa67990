import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Settings of several layers, of which one is written.
struct LayeredStoreTests {
  init() { ReportedFailures.record() }

  /// A store with a variable above a writable layer and one of the system below.
  private func store(
    variables: [String: String] = [:], _ writable: KeyValueLayer, system: KeyValueLayer
  ) -> KeyValueStore {
    KeyValueStore(layers: [.environment(prefix: "NOTES_", variables), writable, system])
  }

  @Test(arguments: KeyValueFormat.allCases)
  func firstLayerThatHasTheKeyGivesItsValue(_ format: KeyValueFormat) throws {
    let store = store(
      variables: ["NOTES_A": "1"],
      try .memory(format) { for key in ["a", "b"] { try $0.set(2, for: key) } },
      system: try .memory(.xml) { for key in ["a", "b", "c"] { try $0.set(3, for: key) } })
    let values = ["a", "b", "c", "d"].map { StoredValue(wrappedValue: 0, $0, in: store) }
    #expect(values.map(\.wrappedValue) == [1, 2, 3, 0])
    #expect(
      values.map(\.source) == [
        .variable("NOTES_A"), .backend(name: "a store in memory"),
        .backend(name: "a store in memory"), .defaultValue,
      ])
    #expect(values.map(\.isSet) == [true, true, true, false])
    #expect(try store.keys() == ["a", "b", "c"])
    #expect(try store.value(of: "c") == 3)
  }

  @Test func structuresMergeAndOthersDoNot() throws {
    let store = store(
      variables: ["NOTES_SERVER__PORT": "1"],
      try .memory {
        try $0.set(
          PartialServer(host: "h", labels: ["x": 1], limits: .init(count: 5)), for: "server")
        try $0.set(["x": 1], for: "labels")
        try $0.set([1], for: "tags")
      },
      system: try .memory(.binary) {
        try $0.set(
          PartialServer(
            host: "s", port: 2, userName: "s", tags: [7], labels: ["y": 2],
            limits: .init(count: 6, size: 7)), for: "server")
        try $0.set(["y": 2], for: "labels")
        try $0.set([2, 3], for: "tags")
      })
    let server = StoredValue(wrappedValue: Server(), "server", in: store)
    #expect(
      server.wrappedValue
        == Server(
          host: "h", port: 1, userName: "s", tags: [7], labels: ["x": 1],
          limits: Server.Limits(count: 5, size: 7)))
    #expect(StoredValue(wrappedValue: [:], "labels", in: store).wrappedValue == ["x": 1])
    #expect(StoredValue(wrappedValue: [], "tags", in: store).wrappedValue == [1])
    #expect(server.error == nil && server.source == .variable("NOTES_SERVER__PORT"))
  }

  @Test func setOfAnOverriddenKeyIsAnError() throws {
    let store = store(
      variables: ["NOTES_PORT": "1", "NOTES_SERVER__PORT": "2"], try .memory(),
      system: try .memory())
    let port = StoredValue(wrappedValue: 0, "port", in: store)
    let server = StoredValue(wrappedValue: Server(), "server", in: store)
    let error = KeyValueStoreError.overridden(key: "port", by: .variable("NOTES_PORT"))
    #expect(throws: error) { try port.save(5) }
    #expect(throws: error) { try store.set(5, for: "port") }
    #expect(throws: error) { try store.remove("port") }
    #expect(throws: error) { try store.transaction { try port.save(5) } }
    port.wrappedValue = 5
    #expect(port.wrappedValue == 1 && port.error == error)
    port.wrappedValue += 5
    #expect(port.wrappedValue == 1 && port.error == error)
    port.reset()
    #expect(port.wrappedValue == 1 && port.error == error)
    #expect(ReportedFailures.count(of: error) >= 3)
    #expect(
      throws: KeyValueStoreError.overridden(key: "server", by: .variable("NOTES_SERVER__PORT"))
    ) { try server.save(Server(port: 5)) }
    #expect("\(error)".hasPrefix("port is set by NOTES_PORT, which overrides "))
    // Nothing of it is kept, so that other keys are written.
    try store.set(7, for: "other")
    #expect(try store.keys() == ["other", "port", "server"])
  }

  @Test func setIsWrittenToTheFirstWritableLayer() throws {
    let (user, system) = (MemoryBackend(), MemoryBackend())
    try KeyValueStore(system).set(3, for: "number")
    let store = KeyValueStore(layers: [
      try .memory(isWritable: false), .backend(user), .backend(system),
    ])
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    number.wrappedValue = 3
    #expect(number.error == nil && number.source == .backend(name: "a store in memory"))
    // Also a value that the lower layer has.
    #expect(try KeyValueStore(user).value(of: "number") == 3)
    number.wrappedValue += 1
    #expect(number.wrappedValue == 4)
    #expect(try KeyValueStore(user).value(of: "number") == 4)
    #expect(try KeyValueStore(system).value(of: "number") == 3)
    number.reset()
    #expect(number.wrappedValue == 3 && number.isSet)
    #expect(try KeyValueStore(user).keys() == [])
    #expect(try KeyValueStore(system).value(of: "number") == 3)
  }

  @Test func removedKeyHasTheValueBelowAtOnce() throws {
    let system = MemoryBackend()
    try KeyValueStore(system).set(3, for: "number")
    let store = KeyValueStore(
      layers: [try .memory(), .backend(system)], writes: .coalesced(within: .seconds(100_000)))
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    number.wrappedValue = 5
    #expect(number.wrappedValue == 5)
    number.reset()
    #expect(number.wrappedValue == 3)
    try store.synchronize()
    #expect(number.wrappedValue == 3 && number.error == nil)
    try store.transaction {
      number.wrappedValue = 6
      number.reset()
      #expect(number.wrappedValue == 3)
    }
    #expect(number.wrappedValue == 3)
  }

  @Test func nilHidesTheValueBelow() throws {
    for format in KeyValueFormat.allCases {
      let user = MemoryBackend(format: format)
      let store = KeyValueStore(layers: [
        .backend(user),
        try .memory {
          try $0.set("x", for: "name")
          try $0.set(PartialServer(userName: "s", labels: ["b": 2]), for: "server")
        },
      ])
      let name = StoredValue<String?>("name", in: store)
      let server = StoredValue(wrappedValue: Server(), "server", in: store)
      #expect(name.wrappedValue == "x" && server.wrappedValue.userName == "s")
      name.wrappedValue = nil
      #expect(name.wrappedValue == nil && name.error == nil)
      let value = Server(userName: nil, labels: [:])
      server.wrappedValue = value
      #expect(server.wrappedValue == value && server.error == nil)
      // Another store reads what was written.
      let other = StoredValue(wrappedValue: Server(), "server", in: KeyValueStore(user))
      #expect(other.wrappedValue == value)
      #expect(try server.load() == value && name.load() == nil)
      name.reset()
      server.reset()
      #expect(name.wrappedValue == "x" && server.wrappedValue.userName == "s")
    }
  }

  @Test func setOfAStructureIsAnnouncedOnce() throws {
    let store = KeyValueStore(layers: [
      try .memory(), try .memory { try $0.set(PartialServer(userName: "s"), for: "server") },
    ])
    let server = StoredValue(wrappedValue: Server(), "server", in: store)
    let heard = Heard<Server>()
    let observation = server.observe { heard.hear($1) }
    let values = [Server(port: 1), Server(port: 2, userName: nil)]
    for value in values { server.wrappedValue = value }
    store.finishHandlers()
    #expect(heard.all == values)
    observation.cancel()
  }

  @Test func storeWithoutAWritableLayerIsReadOnly() throws {
    let store = KeyValueStore(layers: [
      .commandLine(["--number=1"]), try .memory(isWritable: false),
    ])
    let error = KeyValueStoreError.readOnly(path: "a store in memory", .layer)
    let other = StoredValue(wrappedValue: 0, "other", in: store)
    other.wrappedValue = 5
    #expect(other.wrappedValue == 0 && other.error == error)
    #expect(throws: error) { try other.save(5) }
    #expect(throws: error) { try store.transaction {} }
    #expect("\(error)".contains("isWritable: true"))
    #expect(try store.value(of: "number") == 1)
  }

  @Test(arguments: ["/etc/locket-tests/none.json", "/usr/../etc/none.json", "/usr/share/none.json"])
  func filesOfTheSystemAreReadOnlyUnlessNamed(_ path: String) {
    let file = URL(filePath: path)
    #expect(LayeredBackend([.json(file)]).writable == nil)
    #expect(LayeredBackend([.propertyList(file)]).writable == nil)
    #expect(LayeredBackend([.json(file, isWritable: true)]).writable == 0)
    let user = URL(filePath: "/home/user/etc/none.json")
    #expect(LayeredBackend([.json(file), .json(user)]).writable == 1)
    #expect(LayeredBackend([.json(user, isWritable: false)]).writable == nil)
  }

  @Test func plainStoreHasASource() throws {
    let file = try TestFile()
    let number = file.number()
    #expect(number.source == .defaultValue)
    number.wrappedValue = 1
    #expect(number.source == .file(path: file.path))
    #expect(try number.store.source(of: "number") == .file(path: file.path))
  }

  @Test func layersAreReadWhenTheyAreCreated() {
    // The process's own arguments and environment are default arguments; other ones are used here.
    var variables = ["NOTES_NUMBER": "1"]
    let layer = KeyValueLayer.environment(prefix: "NOTES_", variables)
    variables["NOTES_NUMBER"] = "2"
    let number = StoredValue(wrappedValue: 0, "number", in: KeyValueStore(layers: [layer]))
    #expect(number.wrappedValue == 1)
  }

  @Test func unknownKeysOfAllFilesAreFound() throws {
    let store = store(
      variables: ["NOTES_OTHER": "1"], try .memory { try $0.set(1, for: "levle") },
      system: try .memory {
        for key in ["levle", "level", "zebra"] { try $0.set(1, for: key) }
      })
    _ = StoredValue(wrappedValue: 0, "level", in: store)
    #expect(
      try store.unknownKeys == [
        UnknownKey(key: "levle", suggestion: "level"), UnknownKey(key: "zebra"),
      ])
  }
}

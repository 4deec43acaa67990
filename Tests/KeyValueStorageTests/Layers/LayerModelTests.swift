import TestSupport
import Testing
import ValueFormats

@testable import KeyValueStorage

/// Random layers, compared with a model that merges them member by member.
struct LayerModelTests {
  /// The values of one layer, nil for absent ones.
  private struct Values {
    var number: Int?
    var list: [Int]?
    var labels: [String: Int]?
    var server: PartialServer?
  }

  private enum Kind: CaseIterable { case json, xml, binary, environment, commandLine }

  private static func values(
    of kind: Kind, using generator: inout SeededGenerator
  ) -> Values {
    func maybe<Value>(_ value: () -> Value) -> Value? {
      Bool.random(using: &generator) ? value() : nil
    }
    func number() -> Int {
      Int.random(in: -5...5, using: &generator)
    }
    func text() -> String {
      ["", "a", "8080", "{", "[1]", "true", "null", "é"].randomElement(using: &generator)!
    }
    func list() -> [Int] {
      (0..<Int.random(in: 0...2, using: &generator)).map { _ in number() }
    }
    func labels() -> [String: Int] {
      ["a", "b"].reduce(into: [:]) {
        if Bool.random(using: &generator) { $0[$1] = number() }
      }
    }
    func server() -> PartialServer {
      PartialServer(
        host: maybe(text), port: maybe(number), userName: maybe(text), tags: maybe(list),
        labels: maybe(labels),
        limits: maybe { PartialServer.Limits(count: maybe(number), size: maybe(number)) })
    }
    var values = Values(
      number: maybe(number), list: maybe(list), labels: maybe(labels), server: maybe(server))
    if kind == .environment || kind == .commandLine {
      // Text cannot spell a structure without members, except as JSON, which hides no member.
      if values.server?.limits == PartialServer.Limits() { values.server?.limits = nil }
      if values.server == PartialServer() { values.server = nil }
    }
    return values
  }

  /// The texts of the members of a layer of text, by the path of each member.
  private static func texts(of values: Values) -> [[String]: String] {
    let server = values.server
    let limits = server?.limits
    let texts: [([String], String?)] = [
      (["number"], values.number.map { "\($0)" }), (["list"], values.list.map { "\($0)" }),
      (["labels"], values.labels.map(json)), (["server", "host"], server?.host),
      (["server", "port"], server?.port.map { "\($0)" }),
      (["server", "userName"], server?.userName),
      (["server", "tags"], server?.tags.map { "\($0)" }),
      (["server", "labels"], server?.labels.map(json)),
      (["server", "limits", "count"], limits?.count.map { "\($0)" }),
      (["server", "limits", "size"], limits?.size.map { "\($0)" }),
    ]
    return texts.reduce(into: [:]) { $0[$1.0] = $1.1 }
  }

  private static func json(_ labels: [String: Int]) -> String {
    "{\(labels.map { "\"\($0)\": \($1)" }.joined(separator: ","))}"
  }

  private static func layer(_ kind: Kind, _ values: Values) throws -> KeyValueLayer {
    func memory(_ format: KeyValueFormat) throws -> KeyValueLayer {
      try .memory(format) { store in
        if let number = values.number { try store.set(number, for: "number") }
        if let list = values.list { try store.set(list, for: "list") }
        if let labels = values.labels { try store.set(labels, for: "labels") }
        if let server = values.server { try store.set(server, for: "server") }
      }
    }
    switch kind {
    case .json: return try memory(.json)
    case .xml: return try memory(.xml)
    case .binary: return try memory(.binary)
    case .commandLine:
      return .commandLine(
        texts(of: values).map { "--\($0.joined(separator: "__"))=\($1)" })
    case .environment:
      let variables = texts(of: values).map { path, text in
        ("X_" + path.map(\.variableName).joined(separator: "__"), text)
      }
      return .environment(prefix: "X_", Dictionary(uniqueKeysWithValues: variables))
    }
  }

  /// The structure that a property without a default value's members has in these layers.
  private static func merged(_ servers: [PartialServer]) -> Server {
    if servers.isEmpty { return Server() }
    func first<Value>(_ member: (PartialServer) -> Value?) -> Value? {
      servers.lazy.compactMap(member).first
    }
    let limits = servers.compactMap(\.limits)
    let standard = Server()
    return Server(
      host: first(\.host) ?? standard.host, port: first(\.port) ?? standard.port,
      userName: first(\.userName), tags: first(\.tags) ?? standard.tags,
      labels: first(\.labels) ?? standard.labels,
      limits: limits.isEmpty
        ? standard.limits
        : Server.Limits(
          count: limits.lazy.compactMap(\.count).first ?? standard.limits.count,
          size: limits.lazy.compactMap(\.size).first))
  }

  private static let count = Campaign.size(sample: 300, full: 20_000)

  @Test func layersAreThoseOfTheModel() throws {
    var generator = SeededGenerator(seed: 34)
    for round in 0..<Self.count {
      let kinds = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        Kind.allCases.randomElement(using: &generator)!
      }
      let all = kinds.map { Self.values(of: $0, using: &generator) }
      let store = KeyValueStore(layers: try zip(kinds, all).map(Self.layer))
      let comment = Comment("round \(round): \(kinds) \(all)")
      let number = StoredValue(wrappedValue: 100, "number", in: store)
      let list = StoredValue(wrappedValue: [100], "list", in: store)
      let labels = StoredValue(wrappedValue: ["z": 100], "labels", in: store)
      let server = StoredValue(wrappedValue: Server(), "server", in: store)
      #expect(number.wrappedValue == all.lazy.compactMap(\.number).first ?? 100, comment)
      #expect(list.wrappedValue == all.lazy.compactMap(\.list).first ?? [100], comment)
      #expect(labels.wrappedValue == all.lazy.compactMap(\.labels).first ?? ["z": 100], comment)
      #expect(server.wrappedValue == Self.merged(all.compactMap(\.server)), comment)
      for error in [number.error, list.error, labels.error, server.error] {
        #expect(error == nil, comment)
      }
      try checkSet(of: server, kinds, all, Self.values(of: .json, using: &generator), comment)
    }
  }

  /// Sets and resets the structure, which is possible if no layer above the first writable one has
  /// it.
  private func checkSet(
    of server: StoredValue<Server>, _ kinds: [Kind], _ all: [Values], _ new: Values,
    _ comment: Comment
  ) throws {
    let before = server.wrappedValue
    let value = Self.merged([new.server ?? PartialServer()])
    let writable = kinds.firstIndex { $0 != .environment && $0 != .commandLine }
    let isOverridden = all[..<(writable ?? all.count)].contains { $0.server != nil }
    server.wrappedValue = value
    switch server.error {
    case nil:
      #expect(writable != nil && !isOverridden, comment)
      #expect(server.wrappedValue == value, comment)
      #expect(try server.load() == value, comment)
      server.reset()
      #expect(server.error == nil, comment)
      var rest = all
      rest[writable ?? 0].server = nil
      #expect(server.wrappedValue == Self.merged(rest.compactMap(\.server)), comment)
    case .overridden?:
      #expect(writable != nil && isOverridden, comment)
      #expect(server.wrappedValue == before, comment)
    case .readOnly?:
      #expect(writable == nil, comment)
      #expect(server.wrappedValue == before, comment)
    case let error?: Issue.record("\(error) in \(comment)")
    }
  }
}

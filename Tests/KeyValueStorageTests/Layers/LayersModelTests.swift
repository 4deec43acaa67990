import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// A layered store beside a list of dictionaries.
struct LayersModelTests {
  private struct Three: Codable, Equatable, Sendable {
    var a: Int?
    var b: Int?
    var c: Int?

    init(_ members: [String: Int]) { (a, b, c) = (members["a"], members["b"], members["c"]) }

    var members: [String: Int] { ["a": a, "b": b, "c": c].compactMapValues { $0 } }
  }

  /// A value of a key whose first letter tells its type.
  private enum Value: Equatable {
    case number(Int)
    /// The members of a structure, with nil for null, or the entries of a dictionary.
    case members([String: Int?])

    var json: String {
      switch self {
      case .number(let number): "\(number)"
      case .members(let members):
        "{"
          + members.sorted { $0.key < $1.key }
          .map { "\"\($0.key)\": \($0.value.map(String.init) ?? "null")" }.joined(separator: ", ")
          + "}"
      }
    }
  }

  private typealias Layer = [String: Value]

  /// The writable layer of the four.
  private static let user = 2

  private static let keys = ["n1", "n2", "n3", "s1", "s2", "s3", "d1", "d2"]

  private static func randomValue(
    of key: String, isText: Bool = false, _ random: inout SeededGenerator
  ) -> Value {
    if key.hasPrefix("n") { return .number(.random(in: 0..<100, using: &random)) }
    var members: [String: Int?] = [:]
    for name in ["a", "b", "c"] where Bool.random(using: &random) {
      let isNull = key.hasPrefix("s") && Int.random(in: 0..<5, using: &random) == 0
      members.updateValue(isNull ? nil : .random(in: 0..<100, using: &random), forKey: name)
    }
    return .members(members)
  }

  private static func randomLayer(_ random: inout SeededGenerator) -> Layer {
    var layer: Layer = [:]
    for key in keys where Int.random(in: 0..<3, using: &random) == 0 {
      layer[key] = randomValue(of: key, &random)
    }
    return layer
  }

  /// The texts of a layer, with structures as JSON or as texts of their members.
  private static func texts(
    of layer: Layer, name: (_ key: String, _ member: String?) -> String,
    _ random: inout SeededGenerator
  ) -> [String: String] {
    var texts: [String: String] = [:]
    for (key, value) in layer {
      guard key.hasPrefix("s"), case .members(let members) = value, !members.isEmpty,
        Bool.random(using: &random)
      else {
        texts[name(key, nil)] = value.json
        continue
      }
      for (member, number) in members {
        texts[name(key, member)] = number.map(String.init) ?? "null"
      }
    }
    return texts
  }

  private static func json(_ layer: Layer) -> String {
    "{" + layer.map { "\"\($0)\": \($1.json)" }.joined(separator: ", ") + "}"
  }

  /// The value of a key in the model: that of the first layer, with structures merged.
  private static func expected(_ key: String, in layers: [Layer]) -> Value? {
    let values = layers.compactMap { $0[key] }
    guard key.hasPrefix("s"), let first = values.first else { return values.first }
    var result: [String: Int?] = [:]
    for case .members(let members) in [first] + values.dropFirst() {
      result.merge(members) { higher, _ in higher }
    }
    return .members(result.filter { $0.value != nil })
  }

  private static func found(_ key: String, in store: KeyValueStore) throws -> Value? {
    switch key.first {
    case "n": try store.value(of: key, as: Int.self).map { .number($0) }
    case "s": try store.value(of: key, as: Three.self).map { .members($0.members) }
    default: try store.value(of: key, as: [String: Int].self).map { .members($0) }
    }
  }

  /// Sets a value; nulls are members that are nil.
  private static func set(_ value: Value, _ key: String, in store: KeyValueStore) throws {
    switch value {
    case .number(let number): try store.set(number, for: key)
    case .members(let members):
      let members = members.compactMapValues { $0 }
      if key.hasPrefix("s") {
        try store.set(Three(members), for: key)
      } else {
        try store.set(members, for: key)
      }
    }
  }

  /// The layer of a set structure: nulls where a lower layer has a member that the structure lacks.
  private static func stored(_ value: Value, _ key: String, over lower: [Layer]) -> Value {
    guard key.hasPrefix("s"), case .members(let members) = value else { return value }
    var result = members.filter { $0.value != nil }
    if case .members(let below)? = expected(key, in: lower) {
      for name in below.keys where result[name] == nil { result.updateValue(nil, forKey: name) }
    }
    return .members(result)
  }

  private static func check(_ layers: [Layer], _ store: KeyValueStore, _ comment: Comment) throws {
    for key in keys {
      let expected = expected(key, in: layers)
      #expect(try found(key, in: store) == expected, "\(key), \(comment.rawValue)")
      let index = layers.firstIndex { $0[key] != nil }
      let isRight =
        switch store.source(of: key) {
        case .commandLine(let option): index == 0 && option.hasPrefix("--\(key)")
        case .environment(let name): index == 1 && name.hasPrefix("NOTES_\(key.uppercased())")
        case .store(let name): index == (name.hasSuffix("json") ? 2 : 3)
        case .defaultValue: index == nil
        case .unsaved: false
        }
      #expect(isRight, "\(key), \(comment.rawValue)")
    }
    let inFiles = Set(layers[2].keys).union(layers[3].keys)
    #expect(try store.keys() == inFiles.sorted(), comment)
  }

  @Test(arguments: 0..<UInt64(Campaign.size(sample: 30, full: 2_000)))
  func storeIsLikeItsModel(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let files = try LayerFiles()
    var layers = (0..<4).map { _ in Self.randomLayer(&random) }
    // A third of the stores has no texts, so that more sets succeed.
    if seed % 3 == 0 { layers[0] = [:] }
    if seed % 3 < 2 { layers[1] = [:] }
    let options = Self.texts(
      of: layers[0], name: { "--\($0)\($1.map { ":\($0)" } ?? "")" }, &random)
    let variables = Self.texts(
      of: layers[1], name: { "NOTES_\($0)\($1.map { "__\($0)" } ?? "")".uppercased() }, &random)
    let arguments = options.map { "\($0)=\($1)" }
    try files.writeUser(Self.json(layers[2]))
    func writeSystem() throws {
      let store = files.systemStore
      try store.transaction {
        for key in try store.keys() { try store.remove(key) }
        for (key, value) in layers[3] {
          switch value {
          case .number(let number): try store.set(number, for: key)
          case .members(let members): try store.set(members, for: key)
          }
        }
      }
    }
    try writeSystem()
    let store = files.open(variables, arguments: arguments)
    try Self.check(layers, store, "seed \(seed), at first")
    for step in 0..<20 {
      let comment = Comment("seed \(seed), step \(step)")
      let key = Self.keys.randomElement(using: &random)!
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        let value = Self.randomValue(of: key, &random)
        if layers[..<2].contains(where: { $0[key] != nil }) {
          #expect {
            try Self.set(value, key, in: store)
          } throws: { ($0 as? KeyValueStoreError)?.isReadOnly == true }
        } else {
          try Self.set(value, key, in: store)
          layers[2][key] = Self.stored(value, key, over: [layers[3]])
        }
      case 4, 5:
        try store.remove(key)
        layers[2][key] = nil
      case 6:
        layers[3] = Self.randomLayer(&random)
        try writeSystem()
      default:
        layers[2] = Self.randomLayer(&random)
        try files.writeUser(Self.json(layers[2]))
      }
      try Self.check(layers, store, comment)
    }
    try Self.check(layers, files.open(variables, arguments: arguments), "seed \(seed), anew")
  }
}

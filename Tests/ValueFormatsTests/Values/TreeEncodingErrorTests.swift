import Testing

@testable import ValueFormats

struct TreeEncodingErrorTests {
  typealias Written = TreeCodingContainersTests.Written
  typealias Key = TreeCodingContainersTests.Key

  private func reason(_ value: some Encodable) -> String? {
    #expect(throws: ValueCodingError.self) { try TreeEncoder().encode(value) }?.reason
  }

  private func reason(_ write: @escaping (any Encoder) throws -> Void) -> String? {
    reason(["key": Written(write)])
  }

  @Test func encodingNothingIsRefused() {
    let nothing = "a part of it encodes no value"
    #expect(reason(Written { _ in }) == nothing)
    #expect(reason { _ in } == nothing + ", at *")
    #expect(reason { _ = $0.singleValueContainer() } == nothing + ", at *")
    #expect(
      reason { encoder in
        var container = encoder.container(keyedBy: Key.self)
        _ = container.superEncoder()
      } == nothing + ", at *.super")
    #expect(
      reason { encoder in
        var container = encoder.unkeyedContainer()
        _ = container.superEncoder()
      } == nothing + ", at *[*]")
  }

  @Test func encodingSeveralValuesIsRefused() {
    let writes: [(any Encoder) throws -> Void] = [
      { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(1)
        try container.encode("secret")
      },
      { encoder in
        var container = encoder.singleValueContainer()
        try container.encodeNil()
        try container.encode([1])
      },
      { encoder in
        var first = encoder.container(keyedBy: Key.self)
        var second = encoder.unkeyedContainer()
        try first.encode(1, forKey: .a)
        try second.encode(1)
      },
      { encoder in
        var single = encoder.singleValueContainer()
        try single.encode(1)
        _ = encoder.container(keyedBy: Key.self)
      },
      { encoder in
        _ = encoder.unkeyedContainer()
        var single = encoder.singleValueContainer()
        try single.encode(1)
      },
      { encoder in
        // The type catches the error, and encoding still fails.
        let container = encoder.singleValueContainer()
        var list = encoder.unkeyedContainer()
        var single = container
        do { try single.encode(1) } catch { try list.encode(1) }
        _ = encoder.container(keyedBy: Key.self)
      },
    ]
    for (number, write) in writes.enumerated() {
      #expect(reason(write) == "a part of it encodes more than one value, at *", "write \(number)")
    }
  }

  final class Node: Codable {
    var next: Node?
    init(next: Node? = nil) { self.next = next }

    static func chain(_ count: Int) -> Node {
      (1..<count).reduce(Node()) { node, _ in Node(next: node) }
    }
  }

  indirect enum Chain: Codable, Equatable {
    case end
    case link(Chain)
  }

  /// A type that encodes itself without end and without a container.
  struct Endless: Codable {
    init() {}
    init(from decoder: any Decoder) throws {
      self = try decoder.singleValueContainer().decode(Endless.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self)
    }
  }

  private static let tooDeep =
    "its arrays and dictionaries are nested too deeply, or contain themselves"

  private func isTooDeep(_ reason: String?) -> Bool { reason?.hasPrefix(Self.tooDeep) == true }

  /// The file's own dictionary surrounds each value.
  private static let limit = FormatLimits.depth - 1

  @Test func nestingEndsAtTheLimitOfFormats() throws {
    let deepest = try TreeEncoder().encode(Node.chain(Self.limit))
    _ = try TreeDecoder().decode(Node.self, from: deepest)
    #expect(isTooDeep(reason(Node.chain(Self.limit + 1))))
    let deeper = ValueTree.dictionary(["next": deepest])
    let error = #expect(throws: ValueCodingError.self) {
      try TreeDecoder().decode(Node.self, from: deeper)
    }
    #expect(isTooDeep(error?.reason))
  }

  @Test func cyclesAreTooDeep() {
    let node = Node()
    node.next = node
    #expect(isTooDeep(reason(node)))
    #expect(isTooDeep(reason([node])))
    node.next = nil
    #expect(isTooDeep(reason(Endless())))
    #expect(isTooDeep(reason([Endless?.some(Endless())])))
    let error = #expect(throws: ValueCodingError.self) {
      try TreeDecoder().decode(Endless.self, from: .bool(true))
    }
    #expect(isTooDeep(error?.reason))
  }

  /// A payload takes two dictionaries.
  @Test func enumsNestToTheLimit() throws {
    let links = (Self.limit - 2) / 2
    let chain = (0..<links).reduce(Chain.end) { chain, _ in .link(chain) }
    try expectExact(chain)
    #expect(isTooDeep(reason(Chain.link(chain))))
  }

  @Test func optionalsDoNotCountAsNesting() throws {
    struct Tree: Codable, Equatable { var branches: [Tree??] }
    var tree = Tree(branches: [])
    for _ in 0..<(Self.limit / 2 - 1) { tree = Tree(branches: [tree, nil, .some(nil)]) }
    try expectExact(tree)
  }
}

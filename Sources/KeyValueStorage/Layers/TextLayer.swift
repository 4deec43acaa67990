import StorageInternals
import ValueFormats

/// A layer of options or variables, whose values are text until a type reads them.
///
/// It is read once, when it is created.
struct TextLayer: Sendable {
  /// The way in which options or variables are named after keys.
  enum Naming: Sendable {
    case commandLine
    case environment

    func name(of key: StoredKey) -> String {
      switch self {
      case .commandLine: key.string
      case .environment: key.string.variableName
      }
    }
  }

  /// The text of a name, and the names that continue it after two underscores.
  fileprivate struct Node: Sendable {
    /// The name with its prefix or hyphens; nil if only names that continue it have text.
    var name: String?
    var text = ""
    /// The reason why the text is not valid, as a clause.
    var problem: String?
    var members: [StoredKey: Node] = [:]
  }

  let naming: Naming
  private var root = Node()

  /// Creates a layer of the arguments up to `--`.
  init(arguments: [String]) {
    naming = .commandLine
    func isOption(_ word: String) -> Bool { word.utf8.starts(with: "--".utf8) }
    let words = arguments.prefix { $0 != "--" }
    for (index, word) in words.enumerated() where isOption(word) {
      let parts = word.utf8.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(Substring(parts[0]))
      var text: String?
      if parts.count == 2 {
        text = String(Substring(parts[1]))
      } else if index + 1 < words.count, !isOption(words[index + 1]) {
        text = words[index + 1]
      }
      add(text, name, key: String(Substring(parts[0].dropFirst(2))))
    }
  }

  /// Creates a layer of the variables whose names begin with a prefix.
  init(variables: [String: String], prefix: String) {
    naming = .environment
    for (name, text) in variables where name.utf8.starts(with: prefix.utf8) {
      add(text, name, key: String(Substring(name.utf8.dropFirst(prefix.utf8.count))))
    }
  }

  private mutating func add(_ text: String?, _ name: String, key: String) {
    root.change(Self.parts(of: key)[...]) { node in
      if node.name != nil {
        node.problem = "given more than once"
      } else if let text {
        // Swift replaces bytes that are not UTF-8.
        if text.unicodeScalars.contains("\u{FFFD}") { node.problem = "not UTF-8" }
      } else {
        node.problem = "a value is missing; write \(name.shown(atMost: 200))=VALUE"
      }
      node.name = name
      node.text = text ?? ""
    }
  }

  /// Divides a name at two underscores; the last part has the rest of a name of many parts.
  static func parts(of name: String) -> [String] {
    var parts: [String] = []
    var rest = name.utf8[...]
    var position = rest.startIndex
    while parts.count < 63, let next = rest.index(position, offsetBy: 2, limitedBy: rest.endIndex) {
      if rest[position..<next].elementsEqual("__".utf8) {
        parts.append(String(Substring(rest[..<position])))
        rest = rest[next...]
        position = next
      } else {
        position = rest.index(after: position)
      }
    }
    return parts + [String(Substring(rest))]
  }

  private func node(of key: StoredKey) -> Node? {
    var node = root
    for part in Self.parts(of: naming.name(of: key)) {
      guard let next = node.members[StoredKey(part)] else { return nil }
      node = next
    }
    return node
  }

  /// Returns the value of a key; nil if there is none.
  ///
  /// If another key has the same name, the value is not valid.
  func value(of key: StoredKey, ambiguousWith other: StoredKey?) -> LayerValue? {
    guard let node = node(of: key) else { return nil }
    if let other {
      return .problem("\(source(of: node)) is also the name of \([].keyPath(from: other.string))")
    }
    if let problem = node.firstProblem { return .problem(problem) }
    if node.members.isEmpty { return LayerValue(.text, ArraySlice(node.text.utf8)) }
    if let name = node.name {
      let member = source(ofMemberOf: node)
      return .problem("\(name.shown(atMost: 200)) and \(member) are both given")
    }
    guard let bytes = try? JSONFormat().encode(node.tree) else {
      return .problem("a name has too many parts")
    }
    return LayerValue(naming == .commandLine ? .members : .variables, bytes[...])
  }

  private func source(of node: Node) -> KeyValueSource {
    guard let name = node.name else { return source(ofMemberOf: node) }
    return naming == .commandLine ? .argument(name) : .variable(name)
  }

  private func source(ofMemberOf node: Node) -> KeyValueSource {
    // A node has a name, or else members.
    source(of: node.members.min { $0.key < $1.key }?.value ?? Node(name: ""))
  }

  /// The option or variable of a part of a value, or the innermost one on the way to it.
  func source(of path: [ValueStep], in key: StoredKey) -> KeyValueSource? {
    guard var node = node(of: key) else { return nil }
    for step in path {
      guard case .key(let member) = step,
        let next = node.members[StoredKey(naming.name(of: member))]
      else {
        break
      }
      node = next
    }
    return source(of: node)
  }
}

extension TextLayer.Node {
  fileprivate mutating func change(_ parts: ArraySlice<String>, _ body: (inout Self) -> Void) {
    guard let part = parts.first else { return body(&self) }
    members[StoredKey(part), default: Self()].change(parts.dropFirst(), body)
  }

  /// The first problem of this name and of those that continue it.
  fileprivate var firstProblem: String? {
    problem.map { "\((name ?? "").shown(atMost: 200)): \($0)" }
      ?? members.sorted { $0.key < $1.key }.lazy.compactMap(\.value.firstProblem).first
  }

  /// The text as a string, or the members as a dictionary.
  fileprivate var tree: ValueTree {
    if members.isEmpty { return .string(text) }
    return .dictionary(
      members.mapValues(\.tree))
  }
}

import FoundationEssentials
import TestSupport

@testable import ValueFormats

/// A type of which a file may contain only some members.
protocol PartialMember: Codable, Equatable, Sendable {
  init(random: inout SeededGenerator)

  /// Returns the tree of this value without random members, and the value that it represents beside
  /// a default value; nil for the value if it lacks a member.
  func partial(
    beside defaultValue: Self?, _ random: inout SeededGenerator
  ) throws -> (tree: ValueTree, value: Self?)
}

extension PartialMember {
  func partial(
    beside defaultValue: Self?, _ random: inout SeededGenerator
  ) throws -> (tree: ValueTree, value: Self?) { (try TreeEncoder().encode(self), self) }
}

extension Int: PartialMember {
  init(random: inout SeededGenerator) { self = random.integer(Int.self) }
}

extension Date: PartialMember {
  init(random: inout SeededGenerator) { self = random.date() }
}

extension Duration: PartialMember {
  init(random: inout SeededGenerator) { self = random.duration() }
}

extension Array: PartialMember where Element: PartialMember {
  init(random: inout SeededGenerator) { self = random.array(upTo: 2, Element.init(random:)) }

  /// Elements have no default value.
  func partial(
    beside defaultValue: Self?, _ random: inout SeededGenerator
  ) throws -> (tree: ValueTree, value: Self?) {
    let parts = try map { try $0.partial(beside: nil, &random) }
    let elements = parts.compactMap(\.value)
    return (.array(parts.map(\.tree)), elements.count == parts.count ? elements : nil)
  }
}

extension Dictionary: PartialMember where Key == String, Value: PartialMember {
  init(random: inout SeededGenerator) {
    self = random.dictionary(upTo: 2, { $0.one(of: ["a", "b", "é"]) }, Value.init(random:))
  }

  /// The entries of the default value are not added.
  func partial(
    beside defaultValue: Self?, _ random: inout SeededGenerator
  ) throws -> (tree: ValueTree, value: Self?) {
    var members: [StoredKey: ValueTree] = [:]
    var values: Self? = [:]
    for key in keys.sorted() where !random.once(in: 3) {
      let (tree, value) = try self[key]!.partial(beside: defaultValue?[key], &random)
      members[StoredKey(key)] = tree
      if let value { values?[key] = value } else { values = nil }
    }
    return (.dictionary(members), values)
  }
}

/// A structure whose first two members are required.
struct Fields<First: PartialMember, Second: PartialMember>: PartialMember {
  var first: First
  var second: Second
  var third: First?

  init(first: First, second: Second, third: First?) {
    (self.first, self.second, self.third) = (first, second, third)
  }

  init(random: inout SeededGenerator) {
    first = First(random: &random)
    second = Second(random: &random)
    third = random.optional(First.init(random:))
  }

  func partial(
    beside defaultValue: Self?, _ random: inout SeededGenerator
  ) throws -> (tree: ValueTree, value: Self?) {
    var members: [StoredKey: ValueTree] = [:]
    let first = try first.member("first", beside: defaultValue?.first, of: &members, &random)
    let second = try second.member("second", beside: defaultValue?.second, of: &members, &random)
    var third: First??
    if let present = self.third, !random.once(in: 3) {
      let (tree, value) = try present.partial(beside: defaultValue?.third, &random)
      members["third"] = tree
      third = value.map(Optional.some)
    } else {
      // An optional member that is missing is nil, whatever the default value is.
      third = .some(nil)
    }
    guard let first, let second, let third else { return (.dictionary(members), nil) }
    return (.dictionary(members), Fields(first: first, second: second, third: third))
  }
}

/// An enumeration, whose payload is a structure in the file.
enum Choice<Payload: PartialMember>: PartialMember {
  case empty
  case full(value: Payload, number: Int)

  init(random: inout SeededGenerator) {
    self =
      random.once(in: 3)
      ? .empty : .full(value: Payload(random: &random), number: Int(random: &random))
  }

  func partial(
    beside defaultValue: Self?, _ random: inout SeededGenerator
  ) throws -> (tree: ValueTree, value: Self?) {
    guard case .full(let value, let number) = self else {
      return (.dictionary(["empty": .dictionary([:])]), self)
    }
    var (defaultPayload, defaultNumber): (Payload?, Int?) = (nil, nil)
    if case .full(let value, let number)? = defaultValue {
      (defaultPayload, defaultNumber) = (value, number)
    }
    var members: [StoredKey: ValueTree] = [:]
    let payload = try value.member("value", beside: defaultPayload, of: &members, &random)
    let count = try number.member("number", beside: defaultNumber, of: &members, &random)
    let tree = ValueTree.dictionary(["full": .dictionary(members)])
    guard let payload, let count else { return (tree, nil) }
    return (tree, .full(value: payload, number: count))
  }
}

extension PartialMember {
  /// Adds a part of this value to the members of a structure, or omits it; returns the member that
  /// is decoded.
  fileprivate func member(
    _ key: StoredKey, beside defaultValue: Self?, of members: inout [StoredKey: ValueTree],
    _ random: inout SeededGenerator
  ) throws -> Self? {
    if random.once(in: 3) { return defaultValue }
    let (tree, value) = try partial(beside: defaultValue, &random)
    members[key] = tree
    return value
  }
}

extension SeededGenerator {
  /// Returns a type of structures, enumerations, arrays and dictionaries.
  mutating func type(depth: Int) -> any PartialMember.Type {
    func array<Member: PartialMember>(_ type: Member.Type) -> any PartialMember.Type {
      [Member].self
    }
    func dictionary<Member: PartialMember>(_ type: Member.Type) -> any PartialMember.Type {
      [String: Member].self
    }
    func choice<Member: PartialMember>(_ type: Member.Type) -> any PartialMember.Type {
      Choice<Member>.self
    }
    func fields<First: PartialMember, Second: PartialMember>(
      _ first: First.Type, _ second: Second.Type
    ) -> any PartialMember.Type { Fields<First, Second>.self }

    if depth == 0 {
      return one(of: [Int.self, Date.self, Duration.self] as [any PartialMember.Type])
    }
    let member = type(depth: depth - 1)
    switch number(0..<7) {
    case 0: return array(member)
    case 1: return dictionary(member)
    case 2: return choice(member)
    default: return fields(member, type(depth: number(0..<depth)))
    }
  }
}

import Testing

@testable import ValueFormats

/// Expects that a value is restored from its tree.
func expectExact<Value: Codable & Equatable>(
  _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let decoded = try TreeDecoder().decode(Value.self, from: TreeEncoder().encode(value))
  #expect(decoded == value, sourceLocation: sourceLocation)
}

/// Expects it in every position, because each has its own code for encoding.
func expectExactEverywhere<Value: Codable & Equatable & Hashable>(
  _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try expectExact(value, sourceLocation: sourceLocation)
  try expectExact(Optional(value), sourceLocation: sourceLocation)
  try expectExact([value], sourceLocation: sourceLocation)
  try expectExact(["key": value], sourceLocation: sourceLocation)
  try expectExact([value: value], sourceLocation: sourceLocation)
  try expectExact(Set([value]), sourceLocation: sourceLocation)
  try expectExact(Maybe.just(value), sourceLocation: sourceLocation)
  try expectExact(
    Holder(value: value, present: value, absent: nil, list: [nil, value]),
    sourceLocation: sourceLocation)
}

let allIntegers: [any (FixedWidthInteger & Codable & Sendable).Type] = [
  Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
  UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self,
]

private struct Holder<Value: Codable & Equatable>: Codable, Equatable {
  var value: Value
  var present: Value?
  var absent: Value?
  var list: [Value?]
}

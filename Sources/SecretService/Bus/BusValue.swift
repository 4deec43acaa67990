/// A value that is written to a message of the bus.
protocol BusArgument {
  /// The type in the notation of D-Bus.
  static var signature: String { get }
  func write(to message: BusMessage) throws(BusFailure)
}

/// A value that is read from a message of the bus.
protocol BusResult {
  static var signature: String { get }
  init(from message: BusMessage) throws(BusFailure)
}

extension String: BusArgument, BusResult {
  static var signature: String { "s" }

  func write(to message: BusMessage) throws(BusFailure) { try message.append(self) }
  init(from message: BusMessage) throws(BusFailure) { self = try message.string() }
}

/// The path of an object on the bus.
struct BusPath: BusArgument, BusResult {
  static var signature: String { "o" }
  let value: String

  init(_ value: String) { self.value = value }

  func write(to message: BusMessage) throws(BusFailure) { try message.append(value, as: "o") }
  init(from message: BusMessage) throws(BusFailure) { value = try message.string("o") }
}

extension Bool: BusArgument, BusResult {
  static var signature: String { "b" }

  func write(to message: BusMessage) throws(BusFailure) {
    try message.append(Int32(self ? 1 : 0), as: "b")
  }
  init(from message: BusMessage) throws(BusFailure) {
    self = try message.number("b", Int32(0)) != 0
  }
}

extension UInt32: BusResult {
  static var signature: String { "u" }

  init(from message: BusMessage) throws(BusFailure) { self = try message.number("u", 0) }
}

extension UInt64: BusResult {
  static var signature: String { "t" }

  init(from message: BusMessage) throws(BusFailure) { self = try message.number("t", 0) }
}

/// Paths, since this API has no arrays of strings.
extension Array: BusArgument, BusResult where Element == BusPath {
  static var signature: String { "ao" }

  func write(to message: BusMessage) throws(BusFailure) {
    try message.write("a", of: "o") { () throws(BusFailure) in
      for path in self { try path.write(to: message) }
    }
  }

  init(from message: BusMessage) throws(BusFailure) {
    self = []
    try message.readEach(of: "o") { () throws(BusFailure) in append(try BusPath(from: message)) }
  }
}

extension Dictionary: BusResult where Key == String, Value == String {
  static var signature: String { "a{ss}" }

  init(from message: BusMessage) throws(BusFailure) {
    self = [:]
    try message.readEach(of: "{ss}") { () throws(BusFailure) in
      try message.read("e", of: "ss") { () throws(BusFailure) in
        let key = try message.string()
        self[key] = try message.string()
      }
    }
  }
}

/// Each value with its name, in the order of the names.
extension Dictionary: BusArgument where Key == String, Value: BusArgument {
  static var signature: String { "a{s\(Value.signature)}" }

  func write(to message: BusMessage) throws(BusFailure) {
    try message.write("a", of: "{s\(Value.signature)}") { () throws(BusFailure) in
      for (key, value) in sorted(by: { $0.key < $1.key }) {
        try message.write("e", of: "s\(Value.signature)") { () throws(BusFailure) in
          try message.append(key)
          try value.write(to: message)
        }
      }
    }
  }
}

/// A value together with its type.
struct BusVariant: BusArgument {
  static var signature: String { "v" }
  let content: any BusArgument

  init(_ content: any BusArgument) { self.content = content }

  func write(to message: BusMessage) throws(BusFailure) {
    try message.write("v", of: type(of: content).signature) { () throws(BusFailure) in
      try content.write(to: message)
    }
  }
}

/// Bytes that are not secret.
struct BusBytes: BusArgument, BusResult {
  static var signature: String { "ay" }
  /// The longest that is read.
  private static let largestCount = 1024
  let value: [UInt8]

  init(_ value: [UInt8]) { self.value = value }

  func write(to message: BusMessage) throws(BusFailure) { try message.append(value) }

  init(from message: BusMessage) throws(BusFailure) {
    value = unsafe try message.bytes { bytes throws(BusFailure) in
      guard bytes.count <= Self.largestCount else { throw .malformed("\(bytes.count) bytes") }
      return unsafe Array(bytes)
    }
  }
}

import FoundationEssentials

// The messages of the JSON gateway: fields that are zero, false or empty are left out, integers of
// 64 bits are strings, and bytes are in base64.

/// A request, whose JSON is not left to a coder, because that takes as long as etcd for a write.
protocol EtcdRequest: Sendable {
  var json: String { get }
}

/// Returns the JSON of an object with the fields that are not nil.
private func object(_ fields: KeyValuePairs<StaticString, String?>) -> String {
  var text = "{"
  for (name, value) in fields {
    guard let value else { continue }
    if text.utf8.count > 1 { text += "," }
    text += "\"\(name)\":\(value)"
  }
  return text + "}"
}

extension [Operation] {
  fileprivate var json: String { "[\(map(\.json).joined(separator: ","))]" }
}

/// Bytes, in base64.
struct Bytes: Codable, Hashable, Sendable {
  var array: [UInt8]

  init(_ array: [UInt8]) { self.array = array }
  init(_ text: String) { array = Array(text.utf8) }

  var json: String { "\"\(Data(array).base64EncodedString())\"" }

  init(from decoder: any Decoder) throws {
    array = Array(try decoder.singleValueContainer().decode(Data.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Data(array))
  }

  /// The end of the range of keys that begin with these bytes.
  var endOfPrefix: Bytes {
    var end = array
    while let last = end.popLast() {
      if last < 0xFF { return Bytes(end + [last + 1]) }
    }
    return Bytes([0])
  }
}

/// An integer of 64 bits, in a string or as a number.
struct Int64Text: Decodable, Hashable, Sendable {
  var value: Int64

  init(_ value: Int64) { self.value = value }

  var json: String { "\"\(value)\"" }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // A failure means that it is a number.
    if let text = try? container.decode(String.self) {
      guard let value = Int64(text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an integer")
      }
      self.value = value
    } else {
      value = try container.decode(Int64.self)
    }
  }
}

struct RangeRequest: EtcdRequest {
  var key: Bytes
  var range_end: Bytes?
  var limit: Int64Text?
  var revision: Int64Text?
  var min_mod_revision: Int64Text?
  var keys_only: Bool?

  var json: String {
    object([
      "key": key.json, "range_end": range_end?.json, "limit": limit?.json,
      "revision": revision?.json, "min_mod_revision": min_mod_revision?.json,
      "keys_only": keys_only.map { "\($0)" },
    ])
  }
}

struct PutRequest: EtcdRequest {
  var key: Bytes
  var value: Bytes?
  var lease: Int64Text?
  var ignore_value: Bool?

  var json: String {
    object([
      "key": key.json, "value": value?.json, "lease": lease?.json,
      "ignore_value": ignore_value.map { "\($0)" },
    ])
  }
}

struct DeleteRequest: EtcdRequest {
  var key: Bytes
  var range_end: Bytes?

  var json: String { object(["key": key.json, "range_end": range_end?.json]) }
}

enum Operation: EtcdRequest {
  case range(RangeRequest)
  case put(PutRequest)
  case deleteRange(DeleteRequest)

  static func put(_ key: Bytes, _ value: Bytes) -> Operation {
    .put(PutRequest(key: key, value: value))
  }
  static func delete(_ key: Bytes, upTo end: Bytes? = nil) -> Operation {
    .deleteRange(DeleteRequest(key: key, range_end: end))
  }

  var json: String {
    switch self {
    case .range(let request): object(["request_range": request.json])
    case .put(let request): object(["request_put": request.json])
    case .deleteRange(let request): object(["request_delete_range": request.json])
    }
  }
}

struct Comparison: Sendable {
  var key: Bytes
  var target: String
  var result: String
  var mod_revision: Int64Text?
  var create_revision: Int64Text?

  var json: String {
    object([
      "key": key.json, "target": "\"\(target)\"", "result": "\"\(result)\"",
      "mod_revision": mod_revision?.json, "create_revision": create_revision?.json,
    ])
  }

  /// Compares the revision of a key's last change, which is 0 for a missing key.
  static func lastChange(of key: Bytes, isAt revision: Int64) -> Comparison {
    Comparison(key: key, target: "MOD", result: "EQUAL", mod_revision: Int64Text(revision))
  }
  static func lastChange(of key: Bytes, isUpTo revision: Int64) -> Comparison {
    Comparison(key: key, target: "MOD", result: "LESS", mod_revision: Int64Text(revision + 1))
  }
  static func creation(of key: Bytes, isAt revision: Int64) -> Comparison {
    Comparison(key: key, target: "CREATE", result: "EQUAL", create_revision: Int64Text(revision))
  }
}

struct Transaction: EtcdRequest {
  var compare: [Comparison] = []
  var success: [Operation]
  var failure: [Operation] = []

  var json: String {
    let compare = "[\(compare.map(\.json).joined(separator: ","))]"
    return object(["compare": compare, "success": success.json, "failure": failure.json])
  }

  /// The maximum number of operations, of which 128 are allowed by default.
  static let operationLimit = 120
}

struct Header: Decodable, Sendable {
  var cluster_id: String?
  var member_id: String?
  var revision: Revision?
}

/// A revision in an answer, which is small enough that no calculation overflows.
struct Revision: Decodable, Sendable {
  let value: Int64

  init(from decoder: any Decoder) throws {
    value = try Int64Text(from: decoder).value
    guard (0..<1 << 62).contains(value) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "not a revision"))
    }
  }
}

struct KeyValue: Decodable, Sendable {
  var key: Bytes
  var value: Bytes?
  var mod_revision: Revision?
  var create_revision: Revision?

  var modRevision: Int64 { mod_revision?.value ?? 0 }
  var createRevision: Int64 { create_revision?.value ?? 0 }
  var bytes: [UInt8] { value?.array ?? [] }
}

struct RangeAnswer: Decodable, Sendable {
  var header: Header?
  var kvs: [KeyValue]?
  var more: Bool?
  var count: Int64Text?

  var all: [KeyValue] { kvs ?? [] }
  var revision: Int64 { header?.revision?.value ?? 0 }
}

struct TransactionAnswer: Decodable, Sendable {
  struct Response: Decodable, Sendable { var response_range: RangeAnswer? }

  var header: Header?
  var succeeded: Bool?
  var responses: [Response]?

  var revision: Int64 { header?.revision?.value ?? 0 }
}

struct EmptyAnswer: Decodable, Sendable {}
struct EmptyRequest: EtcdRequest { var json: String { "{}" } }

struct AuthenticateAnswer: Decodable, Sendable { var token: String? }

struct LeaseRequest: EtcdRequest {
  var TTL: Int64Text?
  var ID: Int64Text?

  var json: String { object(["TTL": TTL?.json, "ID": ID?.json]) }
}

struct LeaseAnswer: Decodable, Sendable {
  struct Result: Decodable, Sendable { var TTL: Int64Text? }

  var ID: Int64Text?
  /// The answer to a renewal.
  var result: Result?
}

struct WatchRequest: EtcdRequest {
  var key: Bytes
  var range_end: Bytes?
  var start_revision: Int64Text?

  var json: String {
    let create = object([
      "key": key.json, "range_end": range_end?.json, "start_revision": start_revision?.json,
      "progress_notify": "true",
    ])
    return object(["create_request": create])
  }
}

struct WatchLine: Decodable, Sendable {
  struct Event: Decodable, Sendable {
    var type: String?
    var kv: KeyValue?
  }

  struct Result: Decodable, Sendable {
    var header: Header?
    var created: Bool?
    var canceled: Bool?
    var cancel_reason: String?
    var compact_revision: Int64Text?
    var events: [Event]?
  }

  var result: Result?
  var error: Failure?

  struct Failure: Decodable, Sendable {
    var message: String?
    var grpc_code: Int?
    var http_code: Int?
  }
}

struct FailureAnswer: Decodable, Sendable {
  var error: String?
  var message: String?
  var code: Int?
}

struct MembersAnswer: Decodable, Sendable {
  struct Member: Decodable, Sendable {
    var ID: String?
    var name: String?
    var clientURLs: [String]?
  }

  var members: [Member]?
}

struct StatusAnswer: Decodable, Sendable {
  var header: Header?
  var version: String?
  var dbSize: Int64Text?
  var leader: String?
}

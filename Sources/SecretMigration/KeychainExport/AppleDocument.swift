import FoundationEssentials
import SecretStorage
import StorageInternals

/// A binary or XML property list, or JSON, that somebody else wrote.
struct AppleDocument {
  private enum Form {
    case binary, xml, json
  }

  /// As deep as the documents of an export are, and some more for what is ignored in them.
  private static let depthLimit = 16

  private let data: Data
  private let form: Form
  private let path: String

  init(_ bytes: [UInt8], of path: String) throws(MigrationError) {
    self.path = path
    data = Data(bytes)
    let beginning = bytes.first { !UInt8.blanks.contains($0) }
    if bytes.starts(with: "bplist00".utf8) {
      form = .binary
    } else if beginning == UInt8(ascii: "<") {
      form = .xml
      // The decoder would follow the nesting until the stack is full.
      if Self.depth(of: bytes) > Self.depthLimit {
        throw .malformed(path: path, reason: "the property list is nested too deeply")
      }
    } else if beginning == UInt8(ascii: "{") || beginning == UInt8(ascii: "[") {
      form = .json
    } else {
      throw .malformed(path: path, reason: "it is neither a property list nor JSON")
    }
  }

  init(_ content: Secret, of path: String) throws(MigrationError) {
    // The bytes are copied inside of the closure.
    try self.init(unsafe content.withUnsafeBytes { unsafe [UInt8]($0) }, of: path)
  }

  func decode<Value: Decodable>() throws(MigrationError) -> Value {
    do {
      switch form {
      case .binary, .xml: return try PropertyListDecoder().decode(Value.self, from: data)
      case .json:
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        return try decoder.decode(Value.self, from: data)
      }
    } catch let error as DecodingError {
      throw .malformed(path: path, reason: error.reason)
    } catch {
      throw .malformed(path: path, reason: "it cannot be parsed")
    }
  }

  /// How deep the containers of an XML property list may be nested at most; comments may add to it.
  private static func depth(of bytes: [UInt8]) -> Int {
    var (depth, deepest) = (0, 0)
    for index in bytes.indices where bytes[index] == UInt8(ascii: "<") {
      let rest = bytes[(index + 1)...]
      if rest.starts(with: "array".utf8) || rest.starts(with: "dict".utf8) {
        depth += 1
        deepest = max(deepest, depth)
      } else if rest.starts(with: "/array".utf8) || rest.starts(with: "/dict".utf8) {
        depth -= 1
      }
    }
    return deepest
  }
}

extension DecodingError {
  /// What is wrong and where, without a value.
  fileprivate var reason: String {
    let (what, path): (String, [any CodingKey]) =
      switch self {
      case .typeMismatch(_, let context): ("is of another type", context.codingPath)
      case .valueNotFound(_, let context): ("has no value", context.codingPath)
      case .keyNotFound(let key, let context): ("is missing", context.codingPath + [key])
      case .dataCorrupted(let context): ("cannot be parsed", context.codingPath)
      @unknown default: ("cannot be read", [])
      }
    let place = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
    return place.isEmpty ? "it \(what)" : "\(place.joined().trimmingPrefix(".")) \(what)"
  }
}

extension UInt8 {
  fileprivate static let blanks: [UInt8] = [0x20, 0x09, 0x0a, 0x0d]
}

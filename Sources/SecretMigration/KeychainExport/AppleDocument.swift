import FoundationEssentials
import SecretStorage
import StorageInternals

/// A binary or XML property list, or JSON, that somebody else wrote.
struct AppleDocument {
  private enum Form {
    case binary, xml, json
  }

  private let data: Data
  private let form: Form
  private let path: String

  init(_ bytes: [UInt8], of path: String) throws(MigrationError) {
    self.path = path
    data = Data(bytes)
    let beginning = bytes.first { !UInt8.blanks.contains($0) }
    if bytes.starts(with: BinaryPropertyListCheck.magic) {
      form = .binary
    } else if beginning == UInt8(ascii: "<") {
      form = .xml
    } else if beginning == UInt8(ascii: "{") || beginning == UInt8(ascii: "[") {
      form = .json
    } else {
      throw .malformed(path: path, reason: "it is neither a property list nor JSON")
    }
    do throws(PropertyListFlaw) {
      switch form {
      case .binary: try BinaryPropertyListCheck.check(bytes, within: PropertyListFlaw.limits)
      case .xml: try XMLPropertyListCheck.check(bytes, within: PropertyListFlaw.limits)
      case .json: try Self.checkValues(ofJSON: bytes)
      }
    } catch {
      throw error.error(path: path)
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

  /// Bounds what the decoder notes about each value, which is far more than the value has; of depth
  /// it takes care by itself.
  private static func checkValues(ofJSON bytes: [UInt8]) throws(PropertyListFlaw) {
    let marks: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{")]
    if bytes.count(where: marks.contains) > PropertyListFlaw.valueLimit { throw .tooManyValues }
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

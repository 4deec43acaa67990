import FoundationEssentials
import ValueFormats

@testable import KeyValueStorage

extension KeyValueLayer {
  /// A layer of values in memory.
  static func memory(
    _ format: KeyValueFormat = .json, isWritable: Bool = true,
    _ write: (KeyValueStore) throws -> Void = { _ in }
  ) rethrows -> KeyValueLayer {
    let backend = MemoryBackend(format: format)
    try write(KeyValueStore(backend))
    return .backend(backend, isWritable: isWritable)
  }
}

/// A structure whose members may come from several layers.
struct Server: Codable, Equatable, Sendable {
  struct Limits: Codable, Equatable, Sendable {
    var count = 10
    var size: Int? = 20
  }

  var host = "localhost"
  var port = 8080
  var userName: String? = "default"
  var tags = [1]
  var labels = ["a": 1]
  var limits = Limits()
}

/// The members of a ``Server`` in one layer; nil for one that is not in it.
struct PartialServer: Codable, Equatable, Sendable {
  struct Limits: Codable, Equatable, Sendable {
    var count: Int?
    var size: Int?
  }

  var host: String?
  var port: Int?
  var userName: String?
  var tags: [Int]?
  var labels: [String: Int]?
  var limits: Limits?
}

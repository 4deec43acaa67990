import FoundationEssentials
import KeyValueStorage

/// The work of one child process.
struct Job: Parameterized, Sendable {
  let format: String
  let file: URL
  let parameters: [String]

  /// The jobs by their names, whose parameters follow the format and the file.
  static let modes: [String: @Sendable (Job) throws -> Void] = [
    "count": { try $0.count() }, "end": { try $0.end() }, "endBusy": { try $0.endBusy() },
    "fork": { try $0.forkChildren() }, "hold": { try $0.hold() }, "race": { try $0.race() },
    "refuse": { try $0.refuse() }, "watch": { try $0.watch() },
    "withoutThreads": { try $0.withoutThreads() }, "write": { try $0.write() },
  ]

  func way<Way: RawRepresentable<String>>(_ type: Way.Type = Way.self) throws -> Way {
    guard let way = Way(rawValue: try parameter(0)) else { throw Misuse() }
    return way
  }

  func open(_ writes: WritePolicy = .durable) throws -> KeyValueStore {
    let store =
      switch format {
      case "json": KeyValueStore(json: file, writes: writes)
      case "xml": KeyValueStore(propertyList: file, writes: writes)
      case "binary":
        KeyValueStore(propertyList: file, format: .binary, writes: writes)
      default: throw Misuse()
      }
    // A busy machine must not fail a write.
    store.lockTimeout = .seconds(100_000)
    return store
  }
}

import FoundationEssentials
import KeyValueStorage

/// The work of one child process.
struct Job: Sendable {
  let format: String
  let file: URL
  let parameters: [String]

  func run(_ mode: Mode) throws {
    switch mode {
    case .write: try write()
    case .end: try end()
    case .watch: try watch()
    case .refuse: try refuse()
    case .race: try race()
    case .count: try count()
    case .withoutThreads: try withoutThreads()
    case .hold: try hold()
    case .endBusy: try endBusy()
    case .fork: try forkChildren()
    }
  }

  func parameter(_ index: Int) throws -> String {
    guard parameters.indices.contains(index) else { throw Misuse() }
    return parameters[index]
  }

  func number(_ index: Int) throws -> Int {
    guard let number = Int(try parameter(index)) else { throw Misuse() }
    return number
  }

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

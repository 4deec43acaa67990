import Dispatch
import FoundationEssentials
import KeyValueStorage

/// The work of one child process.
struct Job: Sendable {
  let format: String
  let file: URL
  let parameters: [String]

  func run(_ mode: Mode) throws {
    switch mode {
    case .fill: try fill()
    case .write: try write()
    case .end: try end()
    case .watch: try watch()
    case .refuse: try refuse()
    case .race: try race()
    case .count: try count()
    case .withoutThreads: try withoutThreads()
    case .awaitWithoutThreads: try awaitWithoutThreads()
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
    switch format {
    case "json": KeyValueStore(json: file, writes: writes)
    case "xmlPropertyList": KeyValueStore(propertyList: file, writes: writes)
    case "binaryPropertyList":
      KeyValueStore(propertyList: file, format: .binary, writes: writes)
    default: throw Misuse()
    }
  }

  /// Calls a closure on two threads, and returns when both are done.
  func onTwoThreads(_ body: @escaping @Sendable (Int) throws -> Void) {
    let group = DispatchGroup()
    for thread in 0..<2 {
      // One queue each, because a pool has only as many threads as the machine has processors.
      DispatchQueue(label: "thread \(thread)").async(group: group) {
        do {
          try body(thread)
        } catch {
          fatalError("A write failed: \(error)")
        }
      }
    }
    group.wait()
  }
}

extension Job {
  private enum Filling: String {
    case property, save, transaction, coalesced
  }

  private func fill() throws {
    let way = try way(Filling.self)
    let prefix = try parameter(1)
    let count = try number(2)
    let store = try open(way == .coalesced ? .coalesced(within: .milliseconds(5)) : .durable)
    let counter = StoredValue(wrappedValue: 0, "counter", in: store)
    onTwoThreads { thread in
      for number in 0..<count {
        let setting = StoredValue(wrappedValue: 0, "\(prefix)-\(thread)-\(number)", in: store)
        // Only the last value counts.
        for value in number % 4 == 0 ? [-1, number] : [number] {
          switch way {
          case .property, .coalesced: setting.wrappedValue = value
          case .save: try store.set(value, for: setting.key)
          case .transaction: try store.transaction { setting.wrappedValue = value }
          }
        }
        if way != .coalesced, let error = setting.error { throw error }
        try store.transaction { counter.wrappedValue += 1 }
      }
    }
    try store.synchronize()
  }
}

import Dispatch
import FoundationEssentials
import KeyValueStorage

// Writes of several processes to one file.
extension Job {
  /// Increments the key `number` as fast as possible until a file with the suffix `.stop` exists;
  /// prints `=` and the number for an acknowledged write, and `!` and the error for a refused one.
  func race() throws {
    let number = StoredValue(wrappedValue: 0, "number", in: try open())
    var value = 1_000_000
    while !FileManager.default.fileExists(atPath: file.path + ".stop") {
      value += 1
      do {
        try number.save(value)
        printLine("=\t\(value)")
      } catch {
        printLine("!\t\(error)")
      }
    }
  }

  /// `stop`: increments and reads the key `number` until that file exists; prints a line for each
  /// operation, with times of a clock that processes share.
  func count() throws {
    let stop = try parameter(0)
    let store = try open()
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    var round = 0
    while !FileManager.default.fileExists(atPath: stop) {
      round += 1
      let begin = DispatchTime.now().uptimeNanoseconds
      if round % 3 == 0 {
        let value = try number.load()
        printLine("r\t\(begin)\t\(DispatchTime.now().uptimeNanoseconds)\t\(value)")
      } else {
        printLine("+")
        let value = try store.transaction {
          number.wrappedValue += 1
          return number.wrappedValue
        }
        printLine("=\t\(begin)\t\(DispatchTime.now().uptimeNanoseconds)\t\(value)")
      }
    }
  }

  private enum Writing: String { case durable, coalesced }

  /// `way process prefix`: sets and removes keys that begin with the name of the process, to values
  /// that begin with the prefix, on two threads until it is killed.
  ///
  /// Standard output is a journal: a line with `+` before each change, and the same line with `=`
  /// once the store has acknowledged it; the value of a removal is `-`.
  func write() throws {
    let way = try way(Writing.self)
    let (process, prefix) = (try parameter(1), try parameter(2))
    let store = try open(way == .coalesced ? .coalesced(within: .milliseconds(3)) : .durable)
    for thread in 0..<2 {
      // One queue each, because a pool has only as many threads as the machine has processors.
      DispatchQueue(label: "thread \(thread)").async {
        do {
          for round in 0... {
            let value = "\(prefix) \(round) " + String(repeating: "x", count: round * 37 % 300)
            switch way {
            case .durable: try change(store, "\(process) \(thread)-\(round % 10)", round, value)
            case .coalesced:
              // Keys that may be written at any time, and are once `synchronize` returns.
              let keys = (0..<4).map { "\(process) \(thread)-\((round + $0) % 10)" }
              try journal(keys, value) {
                set(keys, value, in: store)
                try store.synchronize()
              }
            }
            if round % 5 > 0 { continue }
            // Two keys that must agree.
            let keys = ["\(process) \(thread) first", "\(process) \(thread) second"]
            try journal(keys, value) { try store.transaction { set(keys, value, in: store) } }
          }
        } catch {
          fatalError("A write failed: \(error)")
        }
      }
    }
    dispatchMain()
  }

  private func change(_ store: KeyValueStore, _ key: String, _ round: Int, _ value: String) throws {
    let setting = StoredValue(wrappedValue: "", key, in: store)
    switch round % 7 {
    case 0: try journal([key], "-") { try store.remove(key) }
    case 1, 2: try journal([key], value) { try store.set(value, for: key) }
    case 3: try journal([key], value) { try setting.save(value) }
    default:
      try journal([key], value) {
        setting.wrappedValue = value
        if let error = setting.error { throw error }
      }
    }
  }

  private func set(_ keys: [String], _ value: String, in store: KeyValueStore) {
    for key in keys { StoredValue(wrappedValue: "", key, in: store).wrappedValue = value }
  }

  private func journal(_ keys: [String], _ value: String, _ change: () throws -> Void) throws {
    for key in keys { printLine("+\t\(key)\t\(value)") }
    try change()
    for key in keys { printLine("=\t\(key)\t\(value)") }
  }
}

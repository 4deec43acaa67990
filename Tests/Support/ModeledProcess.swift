import CLibrary
import Concurrency
package import StorageInternals
import Testing

/// The faults of a process on a modeled disk: it is killed at some moment, or cannot flush files.
package final class ModeledProcess: Sendable {
  private struct State {
    /// The number of changes and flushes before the kill.
    var remaining: Int
    let failsFlushes: Bool
    var generator: SeededGenerator
  }

  private let state: Lock<State>

  /// The calls that change the disk, between which the moment of a kill makes a difference.
  private static let changes: Set<FileSystem.Call> = [
    .write, .fsync, .fdatasync, .ftruncate, .link, .rename, .renameat2, .unlink,
  ]

  package init(using generator: inout SeededGenerator) {
    let remaining = Int.random(in: 0..<30, using: &generator)
    let failsFlushes = Int.random(in: 0..<3, using: &generator) == 0
    let own = SeededGenerator(seed: generator.next())
    state = Lock(State(remaining: remaining, failsFlushes: failsFlushes, generator: own))
  }

  package var isKilled: Bool { state.withLock { $0.remaining < 0 } }

  /// Returns the process's file system on a disk, where only the flushes of some paths may fail.
  package func fileSystem(
    on disk: ModeledDisk, failingToFlush mayFail: @escaping @Sendable (String) -> Bool
  ) -> FileSystem {
    disk.fileSystem { [state] call, path in
      state.withLock { state in
        if Self.changes.contains(call) { state.remaining -= 1 }
        // A killed process has no effect any more.
        if state.remaining < 0 { return EIO }
        guard state.failsFlushes, call == .fsync, mayFail(path) else { return nil }
        return Bool.random(using: &state.generator) ? EIO : nil
      }
    }
  }
}

/// What processes wrote under some keys, to compare with what remains of it.
package struct ModeledJournal {
  private struct Entry {
    /// The number of a modeled disk's changes at the beginning or at the end of the write.
    let time: Int
    let key: String
    let value: String?
    let isAcknowledged: Bool
  }

  private let before: [String: String]
  private var entries: [Entry] = []

  package init(before: [String: String] = [:]) { self.before = before }

  /// Adds the journal of a process, whose last line may be incomplete: `+`, a key and its value, or
  /// `-` for a removal, before a write, and the same with `=` when it is acknowledged.
  package mutating func add(_ path: String) throws {
    let lines = String(decoding: try content(of: path), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in lines {
      let parts = line.split(separator: "\t").map(String.init)
      try #require(parts.count == 3)
      let value = parts[2] == "-" ? nil : parts[2]
      entries.append(Entry(time: 0, key: parts[1], value: value, isAcknowledged: parts[0] != "+"))
    }
  }

  /// Makes a write, which is acknowledged unless it throws.
  package mutating func write(
    _ key: String, _ value: String?, on disk: ModeledDisk, _ body: () throws -> Void
  ) throws {
    func entry(_ isAcknowledged: Bool) -> Entry {
      Entry(time: disk.changes.count, key: key, value: value, isAcknowledged: isAcknowledged)
    }
    entries.append(entry(false))
    try body()
    entries.append(entry(true))
  }

  /// The numbers of changes at which a write was acknowledged.
  package var acknowledgments: [Int] { entries.filter(\.isAcknowledged).map(\.time) }

  /// Describes each value that is neither acknowledged nor pending after a number of changes.
  package func losses(in found: [String: String], at time: Int = 0) -> [String] {
    var possible: [String: [String?]] = [:]
    for entry in entries where entry.time <= time {
      if entry.isAcknowledged { possible[entry.key] = [] }
      possible[entry.key, default: [before[entry.key]]].append(entry.value)
    }
    return Set(before.keys).union(found.keys).union(possible.keys).sorted().compactMap { key in
      let possible = possible[key] ?? [before[key]]
      if possible.contains(found[key]) { return nil }
      return "\(key) is \(found[key] ?? "absent"), not one of \(possible)"
    }
  }
}

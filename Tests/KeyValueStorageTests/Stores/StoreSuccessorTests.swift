import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Files that another writer left, which may not have flushed them.
struct StoreSuccessorTests {
  @Test func storedValueOfAnotherWriterIsFlushed() throws {
    let file = try TestFile(inMemory: true)
    let made = Lock([String]())
    let log = FileSystem { call, path in
      if [.fsync, .write].contains(call) { made.withLock { $0.append("\(call) \(path)") } }
      return nil
    }
    /// Returns the flushes and writes of work.
    func calls(of work: () throws -> Void) throws -> [String] {
      made.withLock { $0 = [] }
      try work()
      return made.withLock { $0 }
    }
    let store = file.openUnobserved(.durable, log, patience: .zero)
    // Creates the lock file, which flushes the directory's parents.
    try store.transaction {}
    let flushes = ["fsync \(file.path)", "fsync \(file.directory)"]
    let writes: [() throws -> Void] = [
      { try store.set(1, for: "number") }, { try store.remove("other") },
      { try store.transaction { try store.set(1, for: "number") } },
    ]
    for (round, work) in writes.enumerated() {
      try file.overwrite("{\"number\": 1}" + String(repeating: "\n", count: round))
      #expect(try calls(of: { try store.transaction {} }) == [])
      #expect(throws: CancellationError.self) {
        try store.transaction {
          try work()
          throw CancellationError()
        }
      }
      #expect(try calls(of: work) == flushes)
      // Within a tick of the clock, a file may be written again without a trace.
      try wait { try calls(of: work) == [] }
    }
    // What this store has written is on disk.
    try store.set(2, for: "number")
    #expect(try calls(of: { try store.set(2, for: "number") }) == [])
  }

  /// Otherwise, a value's only durable copy could be in an import's source, which is then removed.
  @Test(arguments: [false, true]) func unflushedValueIsNotAcknowledged(isImport: Bool) throws {
    let file = try TestFile(inMemory: true, values: ["number": 1])
    let source = try TestFile(.xml, inMemory: true, values: ["number": 1])
    let outage = Outage(of: .fsync, on: file.path)
    let store = file.openUnobserved(.durable, outage.fileSystem, patience: .zero)
    let error = KeyValueStoreError.system(call: "fsync", path: file.path, code: EIO)
    func write() throws {
      if !isImport { return try store.set(1, for: "number") }
      #expect(try store.import(UserDefaultsFile(source.path)).unchanged == ["number"])
    }
    for _ in 0..<2 { #expect(throws: error, performing: write) }
    outage.end()
    try write()
  }

  @Test func unflushedDirectoryIsFlushedByTheNextWrite() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let outage = Outage(of: .fsync, on: directory.path)
    let backend = FileBackend(
      path: directory("app/settings.json"), format: .json, fileSystem: outage.fileSystem)
    let store = KeyValueStore(HookedBackend(base: backend))
    let error = KeyValueStoreError.uncertain(path: directory.path, code: EIO)
    for _ in 0..<2 { #expect(throws: error) { try store.set(1, for: "number") } }
    #expect(try store.keys() == [])
    outage.end()
    try store.set(1, for: "number")
  }

  @Test(arguments: [EINVAL, ENOSYS, EOPNOTSUPP])
  func unsupportedDirectoryFlushIsNoFailure(_ code: Int32) throws {
    let file = try TestFile(inMemory: true)
    let store = file.open(.durable, Outage(of: .fsync, on: file.directory, code: code).fileSystem)
    #expect(try store.directoryRemark != nil)
    for value in [1, 1, 2] { try store.set(value, for: "number") }
    #expect(try file.values() == ["number": 2])
    #expect(try file.open().directoryRemark == nil)
  }

  /// Processes that were killed, or could not flush, and others that wrote on.
  @Test(arguments: [true, false], [true, false])
  func acknowledgedWritesOutlastEarlierProcesses(_ isNew: Bool, _ hasNamelessFiles: Bool) throws {
    for seed in 0..<Campaign.size(sample: 5, full: 100) {
      var generator = Campaign.generator(seed * 4 + (isNew ? 2 : 0) + (hasNamelessFiles ? 1 : 0))
      let before: [String: Int] = isNew ? [:] : ["a": 1, "b": 2]
      let file = try TestFile(inMemory: true)
      if !isNew { try file.encoded(before).write(to: URL(filePath: file.path)) }
      let disk = try ModeledDisk([file.directory], hasNamelessFiles: hasNamelessFiles)
      let journal = try write(to: file, on: disk, before, using: &generator)
      let changes = disk.changes
      func cut(after time: Int, odds: Int?) throws {
        try disk.install(disk.files(cutAfter: time, of: changes, odds: odds, using: &generator))
        let comment = Comment("cut after \(time) of \(changes.count) with odds \(odds ?? -1)")
        do {
          let store = file.openUnobserved(patience: .zero)
          #expect(journal.losses(in: try values(of: store), at: time) == [], comment)
          try store.set(9, for: "new")
          #expect(try store.value(of: "new") == 9, comment)
        } catch {
          Issue.record("\(comment.rawValue): \(error)")
        }
      }
      for _ in 0..<Campaign.size(sample: 5, full: 25) {
        let time = journal.acknowledgments.randomElement(using: &generator) ?? 0
        try cut(after: time, odds: [0, 0, 4].randomElement(using: &generator))
        try cut(after: Int.random(in: 0...changes.count, using: &generator), odds: nil)
      }
    }
  }

  private func values(of store: KeyValueStore) throws -> [String: String] {
    try store.keys().reduce(into: [:]) {
      $0[$1] = try store.value(of: $1, as: Int.self)?.description
    }
  }

  /// Returns the writes of several processes, two at a time.
  private func write(
    to file: TestFile, on disk: ModeledDisk, _ before: [String: Int],
    using generator: inout SeededGenerator
  ) throws -> ModeledJournal {
    var journal = ModeledJournal(before: before.mapValues(\.description))
    func open(_ process: ModeledProcess) -> KeyValueStore {
      file.openUnobserved(.durable, process.fileSystem(on: disk) { _ in true }, patience: .zero)
    }
    var processes = [ModeledProcess(using: &generator), ModeledProcess(using: &generator)]
    var stores = processes.map(open)
    for _ in 0..<24 {
      let index = Int.random(in: 0...1, using: &generator)
      let key = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
      // Few values, so that many are stored already.
      let value = Int.random(in: 0...2, using: &generator)
      do {
        try journal.write(key, value == 0 ? nil : "\(value)", on: disk) {
          let store = stores[index]
          if value == 0 { try store.remove(key) } else { try store.set(value, for: key) }
        }
      } catch KeyValueStoreError.uncertain(_, EIO) {
        // The journal allows for either outcome.
      } catch KeyValueStoreError.system("fsync", _, EIO) {
        // The file was not replaced, or its content was there before.
      } catch {
        #expect(processes[index].isKilled, "By a running process: \(error)")
      }
      if processes[index].isKilled {
        processes[index] = ModeledProcess(using: &generator)
        stores[index] = open(processes[index])
      }
    }
    return journal
  }
}

import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Files that another writer left, which may not have flushed them.
struct StoreSuccessorTests {
  private static func store(_ file: TestFile, _ fileSystem: FileSystem) -> KeyValueStore {
    KeyValueStore(
      HookedBackend(
        base: FileBackend(
          path: file.path, format: .json, fileSystem: fileSystem, gracePeriod: .zero)))
  }

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
    let store = Self.store(file, log)
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

  @Test func unflushedValueIsNotAcknowledged() throws {
    let file = try TestFile(inMemory: true, values: ["number": 1])
    let path = file.path
    let isFailing = Lock(true)
    let store = Self.store(
      file,
      FileSystem { call, flushed in
        call == .fsync && flushed == path && isFailing.withLock { $0 } ? EIO : nil
      })
    let error = KeyValueStoreError.system(call: "fsync", path: path, code: EIO)
    for _ in 0..<2 { #expect(throws: error) { try store.set(1, for: "number") } }
    isFailing.withLock { $0 = false }
    try store.set(1, for: "number")
  }

  /// Otherwise, a source that is removed after its import could be the only copy.
  @Test func unchangedValueOfAnImportIsFlushed() throws {
    let file = try TestFile(inMemory: true, values: ["number": 1])
    let source = try TestFile(.xml, inMemory: true, values: ["number": 1])
    let path = file.path
    let isFailing = Lock(true)
    let store = Self.store(
      file,
      FileSystem { call, flushed in
        call == .fsync && flushed == path && isFailing.withLock { $0 } ? EIO : nil
      })
    let error = KeyValueStoreError.system(call: "fsync", path: path, code: EIO)
    #expect(throws: error) { try store.import(UserDefaultsFile(source.path)) }
    isFailing.withLock { $0 = false }
    #expect(try store.import(UserDefaultsFile(source.path)).unchanged == ["number"])
  }

  @Test func unflushedDirectoryIsFlushedByTheNextWrite() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.path
    let isFailing = Lock(true)
    let store = KeyValueStore(
      HookedBackend(
        base: FileBackend(
          path: directory("app/settings.json"), format: .json,
          fileSystem: FileSystem { call, flushed in
            call == .fsync && flushed == path && isFailing.withLock { $0 } ? EIO : nil
          })))
    let error = KeyValueStoreError.uncertain(path: path, code: EIO)
    for _ in 0..<2 { #expect(throws: error) { try store.set(1, for: "number") } }
    #expect(try store.keys() == [])
    isFailing.withLock { $0 = false }
    try store.set(1, for: "number")
  }

  @Test(arguments: [EINVAL, ENOSYS, EOPNOTSUPP])
  func unsupportedDirectoryFlushIsNoFailure(_ code: Int32) throws {
    let file = try TestFile(inMemory: true)
    let directory = file.directory
    let store = file.open(
      .durable, FileSystem { call, path in call == .fsync && path == directory ? code : nil })
    #expect(try store.directoryRemark != nil)
    for value in [1, 1, 2] { try store.set(value, for: "number") }
    #expect(try file.values() == ["number": 2])
    #expect(try file.open().directoryRemark == nil)
  }

  /// Processes that were killed, or could not flush, and others that wrote on.
  @Test(arguments: [true, false], [true, false])
  func acknowledgedWritesOutlastEarlierProcesses(
    _ isNew: Bool, _ hasNamelessFiles: Bool
  ) throws {
    for seed in 0..<Campaign.size(sample: 5, full: 100) {
      var generator = Campaign.generator(seed * 4 + (isNew ? 2 : 0) + (hasNamelessFiles ? 1 : 0))
      let before: [String: Int] = isNew ? [:] : ["a": 1, "b": 2]
      let file =
        try isNew
        ? TestFile(inMemory: true) : TestFile(inMemory: true, values: before)
      let disk = try ModeledDisk([file.directory], hasNamelessFiles: hasNamelessFiles)
      let journal = try write(to: file, on: disk, before, using: &generator)
      let changes = disk.changes
      func cut(after time: Int, odds: Int?) throws {
        try disk.install(disk.files(cutAfter: time, of: changes, odds: odds, using: &generator))
        let comment = Comment("cut after \(time) of \(changes.count) with odds \(odds ?? -1)")
        do {
          let store = Self.store(file, FileSystem())
          #expect(journal.lostKeys(in: try values(of: store), at: time) == [], comment)
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
    var values: [String: String] = [:]
    for key in try store.keys() {
      values[key] = try store.value(of: key, as: Int.self)?.description
    }
    return values
  }

  /// Returns the writes of several processes, two at a time.
  private func write(
    to file: TestFile, on disk: ModeledDisk, _ before: [String: Int],
    using generator: inout SeededGenerator
  ) throws -> ModeledJournal {
    var journal = ModeledJournal(before: before.mapValues(\.description))
    func open(_ process: ModeledProcess) -> KeyValueStore {
      Self.store(file, process.fileSystem(on: disk) { _ in true })
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
          if value == 0 {
            try stores[index].remove(key)
          } else {
            try stores[index].set(value, for: key)
          }
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

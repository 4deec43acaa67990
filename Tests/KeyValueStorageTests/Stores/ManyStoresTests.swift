import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// The kernel resources that observation requires.
struct ManyStoresTests {
  /// Runs in a separate process, where no other test watches a file.
  @Test func aThousandStoresTakeOneInstanceAndOneThread() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory(inMemory: true)
      ReportedFailures.record()
      let heard = Lock(Set<Int>())
      var observations: [KeyValueObservation] = []
      let settings = (0..<1000).map { number in
        // Some are the only one in their directory, and two each have the same file.
        let name = number % 10 == 0 ? "\(number)/settings.json" : "\(number / 2).json"
        let store = KeyValueStore(json: URL(filePath: directory(name)))
        let setting = StoredValue(wrappedValue: 0, "number", in: store)
        observations.append(setting.observe { _, _ in heard.withLock { _ = $0.insert(number) } })
        return setting
      }
      let instances = {
        try FileSystem().targets(in: "/proc/self/fd").count { $0.contains("inotify") }
      }
      guard try instances() == 1 else { exit(1) }
      try wait { try FileSystem().threads(named: "locket") == ["locket-inotify"] }

      // A store without observers also detects changes.
      for (number, setting) in settings.enumerated() {
        let other = KeyValueStore(FileBackend(path: setting.store.name, format: .json))
        try other.set(number + 1, for: "number")
        if number % 2 == 1 || number % 10 == 0 { try wait { setting.wrappedValue == number + 1 } }
      }
      try wait { heard.withLock { $0.count } == settings.count }
      guard try instances() == 1 else { exit(2) }
      try wait { try FileSystem().threads(named: "locket") == ["locket-inotify"] }
      withExtendedLifetime(observations) {}
    }
  }
}

/// A store whose file the kernel cannot watch.
struct PolledStoreTests {
  /// No file is watched until the object allows it.
  private final class Refusal: Sendable {
    private let isOver = Lock(false)

    var fileSystem: FileSystem {
      FileSystem { call, _ in
        call == .inotify && !self.isOver.withLock { $0 } ? EMFILE : nil
      }
    }

    func end() { isOver.withLock { $0 = true } }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func observersAndStreamsAreToldWithinASecondOrSo(_ format: KeyValueFormat) async throws {
    let file = try TestFile(format)
    let refusal = Refusal()
    let store = file.openPatiently(.durable, refusal.fileSystem)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let heard = Heard<Int>()
    let observation = number.observe { _, new in heard.hear(new) }
    var values = number.values.makeAsyncIterator()
    #expect(await values.next() == 0)
    for value in 1...3 {
      try await file.open().set(value, for: "number")
      #expect(number.wrappedValue == value)
      #expect(heard.wait(for: value))
      while let next = await values.next(), next != value {}
    }
    let error = KeyValueStoreError.system(call: "inotify", path: file.path, code: EMFILE)
    #expect(ReportedFailures.count(of: error) == 1)
    #expect("\(error)".contains("fs.inotify.max_user_instances"))

    refusal.end()
    try await suspend { !store.state.withLock { $0.needsReading } }
    try await file.open().set(4, for: "number")
    #expect(heard.wait(for: 4))
    #expect(number.wrappedValue == 4)
    withExtendedLifetime(observation) {}
  }

  /// Changes are detected by polling alone, without an access.
  @Test func changeWithoutAnAccessIsHeard() throws {
    let file = try TestFile()
    let store = file.openPatiently(.durable, Refusal().fileSystem)
    let heard = Heard<String>()
    let observation = store.observe { heard.hear($0) }
    try file.open().set(1, for: "a")
    #expect(heard.wait(for: "a"))
    try file.overwrite(#"{"a": 1, "b": 2}"#)
    #expect(heard.wait(for: "b"))
    withExtendedLifetime(observation) {}
  }

  /// Only the full campaign runs this, because the user's other processes cannot create instances.
  @Test(.enabled(if: Campaign.isFull)) func realExhaustionMakesNothingStale() async {
    await #expect(processExitsWith: .success) {
      // The kernel closes them with the process.
      while inotify_init1(Int32(IN_CLOEXEC)) != -1 {}
      guard errno == EMFILE else { exit(1) }
      let file = try TestFile()
      let stores = (0..<20).map { _ in file.open() }
      let heard = stores.map { _ in Heard<Int>() }
      let settings = stores.map { StoredValue(wrappedValue: 0, "number", in: $0) }
      let observations = zip(settings, heard).map { setting, heard in
        setting.observe { heard.hear($1) }
      }
      for value in 1...3 {
        try file.open().set(value, for: "number")
        guard settings.allSatisfy({ $0.wrappedValue == value }) else { exit(2) }
        guard heard.allSatisfy({ $0.wait(for: value) }) else { exit(3) }
      }
      guard try FileSystem().threads(named: "locket-inotify").isEmpty else { exit(4) }
      guard try FileSystem().threads(named: "locket-poll").count == 1 else { exit(5) }
      withExtendedLifetime(observations) {}
    }
  }

  /// In a user namespace, the limit applies to this child only.
  @Test(.enabled(if: WithoutInotify.isPossible))
  func processAtTheLimitTellsTheTruth() throws {
    let file = try TestFile()
    let output = "\(file.directory)/output"
    let words = WithoutInotify.words(
      [try ChildProcess.path(ofExecutable: "SettingsProcess"), "watch", "json", file.path])
    let child = try ChildProcess(words[0], Array(words.dropFirst()), output: output)
    let lines = {
      try FileSystem().status(of: output) == nil
        ? [] : String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
    }
    try wait { try lines().contains("ready") }
    let store = file.open()
    for value in 1...3 {
      try store.set(value, for: "number")
      try wait { try lines().last == "\(value)" }
    }
    child.stop()
  }
}

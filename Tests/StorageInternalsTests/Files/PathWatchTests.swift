import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

/// Watches of paths; the time limit ends a wait for a missing event.
@Suite(.timeLimit(.minutes(30))) struct PathWatchTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  /// A watch that reads the text at its path, or nil, at each call.
  private struct Watcher: ~Copyable {
    let path: String
    let watch: PathWatch
    var calls: AsyncStream<String?>.Iterator

    init(_ path: String, _ fileSystem: FileSystem = FileSystem()) throws {
      let (stream, continuation) = AsyncStream.makeStream(of: String?.self)
      self.path = path
      watch = try PathWatch(path: path, in: fileSystem) { continuation.yield(text(of: path)) }
      calls = stream.makeAsyncIterator()
    }

    /// Waits for a call that reads a text, which must not be at the path before the change.
    mutating func expect(_ expected: String?, after change: () throws -> Void) async throws {
      try #require(text(of: path) != expected)
      try change()
      while let read = await calls.next(isolation: #isolation), read != expected {}
    }
  }

  private func write(_ text: String, to name: String) throws {
    try FileSystem().replaceFile(at: directory(name), with: Array(text.utf8))
  }

  private func make(_ name: String) throws {
    try FileSystem().makeDirectories(directory(name))
  }

  private func move(_ name: String, to other: String) throws {
    try FileSystem().rename(directory(name), to: directory(other))
  }

  /// Creates a symbolic link, or replaces one as `ln -sfn` does.
  private func link(_ name: String, to target: String) throws {
    try #require(unsafe symlink(target, directory("\(name).new")) == 0)
    try move("\(name).new", to: name)
  }

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: directory(name))
  }

  @Test func makingReplacingAndRemovingIsReported() async throws {
    var watcher = try Watcher(directory("file"))
    for text in ["a", "b", "c"] {
      try await watcher.expect(text) { try write(text, to: "file") }
    }
    try await watcher.expect(nil) { try remove("file") }
    try await watcher.expect("d") { try write("d", to: "file") }
    try await watcher.expect(nil) { try move("file", to: "other") }
    try await watcher.expect("d") {
      try FileSystem().link(directory("other"), to: directory("file"))
    }
  }

  @Test func truncatingAndWritingIsReported() async throws {
    try write("long text", to: "file")
    var watcher = try Watcher(directory("file"))
    try await watcher.expect("b") {
      try FileSystem().open(directory("file"), O_WRONLY | O_TRUNC).write([0x62], at: 0)
    }
  }

  @Test func changingTheModeIsReported() async throws {
    try write("a", to: "file")
    var watcher = try Watcher(directory("file"))
    try FileSystem().open(directory("file"), O_RDONLY).changeMode(to: 0o640)
    #expect(await watcher.calls.next(isolation: #isolation) == "a")
  }

  @Test func fileBehindALinkIsWatched() async throws {
    try make("there")
    try write("a", to: "there/file")
    try link("link", to: "there/file")
    var watcher = try Watcher(directory("link"))
    try await watcher.expect("b") { try write("b", to: "there/file") }
    try write("c", to: "other")
    try await watcher.expect("c") { try link("link", to: "other") }
    try await watcher.expect("d") { try write("d", to: "other") }
    // A file replaces the link.
    try await watcher.expect("e") { try write("e", to: "link") }
    try await watcher.expect("f") { try write("f", to: "link") }
  }

  @Test func danglingLinkIsWatchedWhereItLeads() async throws {
    try link("link", to: "x/y/file")
    var watcher = try Watcher(directory("link"))
    try make("x/y")
    try await watcher.expect("a") { try write("a", to: "x/y/file") }
    try await watcher.expect(nil) { try link("link", to: "link") }
    try await watcher.expect("a") { try link("link", to: "x/y/file") }
  }

  @Test func swappedDirectoryOfAVolumeIsReported() async throws {
    // The layout of a Kubernetes ConfigMap.
    try make("volume/..1")
    try write("1", to: "volume/..1/file")
    try link("volume/..data", to: "..1")
    try link("volume/file", to: "..data/file")
    var watcher = try Watcher(directory("volume/file"))
    for number in 2...5 {
      try make("volume/..\(number)")
      try write("\(number)", to: "volume/..\(number)/file")
      try await watcher.expect("\(number)") { try link("volume/..data", to: "..\(number)") }
      try remove("volume/..\(number - 1)")
    }
  }

  @Test func removedDirectoryIsWatchedWhenItIsMadeAgain() async throws {
    try make("a/b/c")
    try write("0", to: "a/b/c/file")
    var watcher = try Watcher(directory("a/b/c/file"))
    for number in 1...5 {
      try await watcher.expect(nil) { try remove("a") }
      try make("a/b/c")
      try await watcher.expect("\(number)") { try write("\(number)", to: "a/b/c/file") }
    }
  }

  @Test func removedDirectoryThatIsInUseIsNotWaitedFor() async throws {
    try make("a/b")
    try write("0", to: "a/b/file")
    var watcher = try Watcher(directory("a/b/file"))
    for number in 1...100 {
      // The kernel reports the removal of a directory only when no process has it open any longer.
      let first = try FileSystem().open(directory("a"), O_RDONLY | O_DIRECTORY)
      let second = try FileSystem().open(directory("a/b"), O_RDONLY | O_DIRECTORY)
      try await watcher.expect(nil) { try remove("a") }
      try make("a/b")
      try await watcher.expect("\(number)") { try write("\(number)", to: "a/b/file") }
      _ = try (first.status(), second.status())
    }
  }

  @Test func renamedDirectoriesAreReported() async throws {
    try make("a/b/c")
    try make("x/b/c")
    try write("0", to: "a/b/c/file")
    try write("1", to: "x/b/c/file")
    var watcher = try Watcher(directory("a/b/c/file"))
    try await watcher.expect(nil) { try move("a", to: "old") }
    try await watcher.expect("1") { try move("x", to: "a") }
    try await watcher.expect("2") { try write("2", to: "a/b/c/file") }
    try await watcher.expect(nil) { try move("a/b", to: "b") }
    try await watcher.expect("0") { try link("a/b", to: "../old/b") }
    try await watcher.expect("3") { try write("3", to: "old/b/c/file") }
  }

  @Test func missingDirectoriesAreWatchedFor() async throws {
    var watcher = try Watcher(directory("a/b/c/file"))
    try make("a/b/c")
    try await watcher.expect("1") { try write("1", to: "a/b/c/file") }
  }

  @Test func fileInThePlaceOfADirectoryIsMended() async throws {
    try write("", to: "a")
    var watcher = try Watcher(directory("a/file"))
    try make("b")
    try write("1", to: "b/file")
    try remove("a")
    try await watcher.expect("1") { try move("b", to: "a") }
  }

  @Test func stateAfterManyQuickChangesIsReported() async throws {
    for name in ["0", "1"] {
      try make(name)
      try write("\(name) at first", to: "\(name)/file")
    }
    try link("data", to: "0")
    try link("file", to: "data/file")
    var watcher = try Watcher(directory("file"))
    for round in 0..<20 {
      try await watcher.expect("end \(round)") {
        for number in 0..<25 {
          try link("data", to: "\(number % 2)")
          try write("\(round), \(number)", to: "\(number % 2)/file")
          if number % 7 == 0 {
            try move("0", to: "moved")
            try move("moved", to: "0")
          }
        }
        try write("end \(round)", to: "0/file")
      }
    }
  }

  @Test func otherNamesAndUnfinishedWritingAreNotReported() async throws {
    try write("a", to: "file")
    let calls = Lock(0)
    let watch = try PathWatch(path: directory("file")) { calls.withLock { $0 += 1 } }
    // A second watch, of another file in the same directory, proves that events arrive.
    var witness = try Watcher(directory("witness"))
    let file = try FileSystem().open(directory("file"), O_WRONLY)
    for number in 0..<50 {
      for name in ["fil", ".file.lock", ".file.0123456789abcdef.tmp", "File"] {
        try write("a", to: name)
      }
      try file.write([UInt8](repeating: 0x62, count: number + 1), at: 0)
      try await witness.expect("\(number)") { try write("\(number)", to: "witness") }
    }
    #expect(calls.withLock { $0 } == 0)
    withExtendedLifetime(watch) {}
    // Keeps the file open until here.
    _ = try file.status()
  }

  @Test func releasedWatchReportsNothingAndHoldsNothing() async throws {
    let calls = Lock(0)
    weak let released: Lock<Int>?
    do {
      let held = Lock(0)
      released = held
      let watch = try PathWatch(path: directory("file")) {
        withExtendedLifetime(held) { calls.withLock { $0 += 1 } }
      }
      withExtendedLifetime(watch) {}
    }
    // The queue releases the closure and closes the descriptor a little later.
    while released != nil { usleep(500) }
    var witness = try Watcher(directory("file"))
    try await witness.expect("a") { try write("a", to: "file") }
    #expect(calls.withLock { $0 } == 0)
  }

  /// The failures: at the instance, at a directory, and at the second check of the directories.
  @Test(arguments: [(0, EMFILE), (1, ENOSPC), (3, ENOSPC), (12, ENFILE)])
  func pathThatCannotBeWatchedIsPolledUntilItCan(_ index: Int, _ code: Int32) async throws {
    let count = Lock(0)
    let isRefused = Lock(true)
    let fileSystem = FileSystem { call, _ in
      guard call == .inotify, isRefused.withLock({ $0 }) else { return nil }
      return count.withLock { count in
        defer { count += 1 }
        return count >= index ? code : nil
      }
    }
    var watcher = try Watcher(directory("file"), fileSystem)
    #expect(
      watcher.watch.problem == SystemError(call: .inotify, path: directory("file"), code: code))
    #expect(!PolledPaths.isEmpty)
    for text in ["a", "b"] { try await watcher.expect(text) { try write(text, to: "file") } }
    try await watcher.expect(nil) { try remove("file") }
    isRefused.withLock { $0 = false }
    try await suspend { watcher.watch.problem == nil }
    for text in ["c", "d"] { try await watcher.expect(text) { try write(text, to: "file") } }
    #expect(watcher.watch.problem == nil)
  }

  @Test func watchThatLosesADirectoryLaterIsPolled() async throws {
    try make("a")
    let isRefused = Lock(false)
    let fileSystem = FileSystem { call, _ in
      call == .inotify && isRefused.withLock { $0 } ? ENOSPC : nil
    }
    var watcher = try Watcher(directory("a/b/file"), fileSystem)
    isRefused.withLock { $0 = true }
    try make("a/b")
    try await suspend { watcher.watch.problem != nil }
    for text in ["a", "b"] { try await watcher.expect(text) { try write(text, to: "a/b/file") } }
    isRefused.withLock { $0 = false }
    try await suspend { watcher.watch.problem == nil }
    try await watcher.expect("c") { try write("c", to: "a/b/file") }
  }

  /// A slow handler does not prevent calls to the others.
  @Test func handlersDoNotWaitForEachOther() async throws {
    let isOver = DispatchSemaphore(value: 0)
    let hasBegun = DispatchSemaphore(value: 0)
    let slow = try PathWatch(path: directory("file")) {
      hasBegun.signal()
      isOver.wait()
      isOver.signal()
    }
    defer { isOver.signal() }
    var watcher = try Watcher(directory("file"))
    try await watcher.expect("a") { try write("a", to: "file") }
    try await suspend { hasBegun.wait(timeout: .now()) == .success }
    try await watcher.expect("b") { try write("b", to: "file") }
    withExtendedLifetime(slow) {}
  }

  @Test func instanceThatTheAppClosesIsMadeAgain() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let heard = DispatchSemaphore(value: 0)
      let watch = try PathWatch(path: directory("file")) { heard.signal() }
      for name in try FileSystem().entries(of: "/proc/self/fd") {
        let link = "/proc/self/fd/\(name)"
        guard let number = Int32(name), try FileSystem().status(of: link) != nil,
          try FileSystem().linkTarget(of: link).contains("inotify")
        else { continue }
        close(number)
      }
      // A change of a watched directory wakes the thread, which then finds the descriptor closed.
      try FileSystem().replaceFile(at: directory("file"), with: [1])
      if heard.wait(timeout: .now() + 60) == .timedOut { exit(1) }
      withExtendedLifetime(watch) {}
    }
  }
}

/// Returns the text of a file; nil if the file does not exist.
private func text(of path: String) -> String? {
  do throws(SystemError) {
    let bytes = try FileSystem().open(path, O_RDONLY).read(from: 0, count: .max)
    return String(decoding: bytes, as: UTF8.self)
  } catch {
    return nil
  }
}

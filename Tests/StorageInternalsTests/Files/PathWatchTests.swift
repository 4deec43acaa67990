import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

struct PathWatchTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  /// A watch that reads the text at its path, or nil, at each call.
  private struct Watcher: ~Copyable {
    let path: String
    let watch: PathWatch
    var calls: AsyncStream<String?>.Iterator

    init(
      _ path: String, eachWrite: Bool = false, _ fileSystem: FileSystem = FileSystem()
    ) throws {
      let (stream, continuation) = AsyncStream.makeStream(of: String?.self)
      self.path = path
      watch = try PathWatch(path: path, eachWrite: eachWrite, in: fileSystem) {
        continuation.yield(text(of: path))
      }
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

  private func make(_ name: String) throws { try FileSystem().makeDirectories(directory(name)) }

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

  @Test(arguments: [false, true])
  func creatingReplacingAndRemovingIsReported(eachWrite: Bool) async throws {
    var watcher = try Watcher(directory("file"), eachWrite: eachWrite)
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

  @Test func writingIsReportedWhenTheFileIsClosed() async throws {
    try write("long text", to: "file")
    var watcher = try Watcher(directory("file"))
    try await watcher.expect("b") {
      try FileSystem().open(directory("file"), O_WRONLY | O_TRUNC).write([0x62], at: 0)
    }
  }

  @Test func eachWriteIsReportedWhileTheFileIsOpen() async throws {
    try write("a", to: "file")
    var watcher = try Watcher(directory("file"), eachWrite: true)
    let file = try FileSystem().open(directory("file"), O_WRONLY)
    try await watcher.expect("ab") { try file.write([0x62], at: 1) }
    try await watcher.expect("abc") { try file.write([0x63], at: 2) }
    // Keeps the file open until here.
    _ = try file.status()
  }

  @Test func changingTheModeIsReported() async throws {
    try write("a", to: "file")
    var watcher = try Watcher(directory("file"))
    try FileSystem().open(directory("file"), O_RDONLY).changeMode(to: 0o640)
    #expect(await watcher.calls.next(isolation: #isolation) == "a")
  }

  @Test func targetOfALinkIsWatched() async throws {
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

  @Test func targetOfADanglingLinkIsWatched() async throws {
    try link("link", to: "x/y/file")
    var watcher = try Watcher(directory("link"))
    try make("x/y")
    try await watcher.expect("a") { try write("a", to: "x/y/file") }
    try await watcher.expect(nil) { try link("link", to: "link") }
    try await watcher.expect("a") { try link("link", to: "x/y/file") }
  }

  @Test(arguments: [true, false]) func recreatedDirectoryIsWatched(isInUse: Bool) async throws {
    try make("a/b")
    try write("0", to: "a/b/file")
    var watcher = try Watcher(directory("a/b/file"))
    for number in 1...(isInUse ? 20 : 5) {
      // The kernel reports the removal of a directory only when no process has it open any longer.
      let opened = isInUse ? ["a", "a/b"] : [".", "."]
      let first = try FileSystem().open(directory(opened[0]), O_RDONLY | O_DIRECTORY)
      let second = try FileSystem().open(directory(opened[1]), O_RDONLY | O_DIRECTORY)
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

  @Test func directoryThatReplacesAFileIsWatched() async throws {
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
    for round in 0..<5 {
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

  @Test(arguments: [false, true])
  func changesOfOtherNamesAreNotReported(eachWrite: Bool) async {
    await #expect(processExitsWith: .success) { [eachWrite = eachWrite as Bool] in
      recordingErrors {
        let directory = try TemporaryDirectory()
        let file = try FileSystem().open(directory("file"), O_WRONLY | O_CREAT, mode: 0o600)
        try waitForEarlierEvents(in: directory)
        let calls = Lock(0)
        let watch = try PathWatch(path: directory("file"), eachWrite: eachWrite) {
          calls.withLock { $0 += 1 }
        }
        // A call in one round is visible in the next one.
        for _ in 0..<10 {
          for name in ["fil", ".file.lock", ".file.0123456789abcdef.tmp", "File"] {
            try FileSystem().replaceFile(at: directory(name), with: [1])
          }
          // The end of writing is the event without `eachWrite`.
          if !eachWrite { try file.write([1], at: 0) }
          try waitForEarlierEvents(in: directory)
          #expect(calls.withLock { $0 } == 0)
        }
        withExtendedLifetime(watch) {}
        _ = try file.status()
      }
    }
  }

  @Test func releasedWatchesReportNothing() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let directory = try TemporaryDirectory()
        try waitForEarlierEvents(in: directory)
        let calls = Lock(0)
        weak let released: Lock<Int>?
        do {
          let held = Lock(0)
          released = held
          // More in total than a user's limit of inotify instances.
          for _ in 0..<200 {
            let watch = try PathWatch(path: directory("file")) {
              withExtendedLifetime(held) { calls.withLock { $0 += 1 } }
            }
            withExtendedLifetime(watch) {}
          }
        }
        try wait { released == nil }
        let descriptors = try FileSystem().targets(in: "/proc/self/fd")
        #expect(descriptors.count { $0.contains("inotify") } == 1)
        try FileSystem().replaceFile(at: directory("file"), with: [1])
        try waitForEarlierEvents(in: directory)
        #expect(calls.withLock { $0 } == 0)
      }
    }
  }

  /// A file system that refuses the calls of inotify on a path while the lock is true.
  private func refusing(_ refused: String, while isRefused: Lock<Bool>) -> FileSystem {
    FileSystem { call, path in
      call == .inotify && path == refused && isRefused.withLock { $0 } ? ENOSPC : nil
    }
  }

  /// The call for the instance has the path of the file.
  @Test(arguments: [true, false])
  func pathThatCannotBeWatchedIsPolled(isInstanceRefused: Bool) async throws {
    let path = directory("file")
    let isRefused = Lock(true)
    let refused = isInstanceRefused ? path : try FileSystem().resolve(directory.path)
    let fileSystem = refusing(refused, while: isRefused)
    var watcher = try Watcher(path, fileSystem)
    #expect(watcher.watch.problem == SystemError(call: .inotify, path: path, code: ENOSPC))
    #expect(!PolledPaths.isEmpty)
    func polled(_ change: () throws -> Void) rethrows {
      try change()
      PolledPaths.check()
    }
    for text in ["a", "b"] {
      try await watcher.expect(text) { try polled { try write(text, to: "file") } }
    }
    // A change in the tick of the clock of the last check is found by the next one.
    try await watcher.expect(nil) { try polled { try remove("file") } }
    isRefused.withLock { $0 = false }
    PolledPaths.check()
    #expect(watcher.watch.problem == nil)
    for text in ["c", "d"] { try await watcher.expect(text) { try write(text, to: "file") } }
    #expect(watcher.watch.problem == nil)
  }

  @Test func pathWhoseNewDirectoryCannotBeWatchedIsPolled() async throws {
    try make("a")
    let isRefused = Lock(true)
    let refused = "\(try FileSystem().resolve(directory.path))/a/b"
    let fileSystem = refusing(refused, while: isRefused)
    var watcher = try Watcher(directory("a/b/file"), fileSystem)
    #expect(watcher.watch.problem == nil)
    try make("a/b")
    try await suspend { watcher.watch.problem != nil }
    try await watcher.expect("a") { try write("a", to: "a/b/file") }
    isRefused.withLock { $0 = false }
    PolledPaths.check()
    #expect(watcher.watch.problem == nil)
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

  @Test func closedInstanceIsCreatedAgain() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let directory = try TemporaryDirectory()
        let heard = DispatchSemaphore(value: 0)
        let watch = try PathWatch(path: directory("file")) { heard.signal() }
        for name in try FileSystem().entries(of: "/proc/self/fd") {
          // The listing has its own descriptor, which is closed.
          let target = try? FileSystem().linkTarget(of: "/proc/self/fd/\(name)")
          if let target, target.contains("inotify"), let number = Int32(name) { close(number) }
        }
        // A change of a watched directory wakes the thread, which then finds the descriptor closed.
        try FileSystem().replaceFile(at: directory("file"), with: [1])
        heard.wait()
        withExtendedLifetime(watch) {}
      }
    }
  }
}

/// Waits until the events that are queued for a directory have been reported.
///
/// The handler of a watch of a new name is called for a later event than all of them.
private func waitForEarlierEvents(in directory: TemporaryDirectory) throws {
  let heard = DispatchSemaphore(value: 0)
  let path = directory("\(UUID())")
  let watch = try PathWatch(path: path) { heard.signal() }
  try FileSystem().replaceFile(at: path, with: [])
  heard.wait()
  withExtendedLifetime(watch) {}
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

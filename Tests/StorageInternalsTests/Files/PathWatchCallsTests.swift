import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

/// The calls and the threads of watches, and the paths that the kernel does not watch.
final class PathWatchCallsTests: ChangedDirectory {
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

  /// A refusal of the calls of inotify on a path.
  private func refusal(of path: String) -> Outage { Outage(of: .inotify, on: path, code: ENOSPC) }

  /// The call for the instance has the path of the file.
  @Test(arguments: [true, false])
  func pathThatCannotBeWatchedIsPolled(isInstanceRefused: Bool) async throws {
    let path = directory("file")
    let refusal = refusal(of: isInstanceRefused ? path : try FileSystem().resolve(directory.path))
    var watcher = try Watcher(path, refusal.fileSystem)
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
    refusal.end()
    PolledPaths.check()
    #expect(watcher.watch.problem == nil)
    for text in ["c", "d"] { try await watcher.expect(text) { try write(text, to: "file") } }
    #expect(watcher.watch.problem == nil)
  }

  @Test func removalBeforeTheFirstPollIsReported() async throws {
    try write("a", to: "file")
    let path = directory("file")
    var watcher = try Watcher(path, refusal(of: path).fileSystem)
    try await watcher.expect(nil) {
      try remove("file")
      PolledPaths.check()
    }
  }

  @Test func pathWhoseNewDirectoryCannotBeWatchedIsPolled() async throws {
    try make("a")
    let refusal = refusal(of: "\(try FileSystem().resolve(directory.path))/a/b")
    var watcher = try Watcher(directory("a/b/file"), refusal.fileSystem)
    #expect(watcher.watch.problem == nil)
    try make("a/b")
    try await suspend { watcher.watch.problem != nil }
    try await watcher.expect("a") { try write("a", to: "a/b/file") }
    refusal.end()
    PolledPaths.check()
    #expect(watcher.watch.problem == nil)
    try await watcher.expect("c") { try write("c", to: "a/b/file") }
  }

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

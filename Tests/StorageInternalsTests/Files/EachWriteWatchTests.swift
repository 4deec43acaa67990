import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct EachWriteWatchTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  /// Returns a watch and its events.
  private func watch(
    _ path: String
  ) throws -> (watch: PathWatch, events: AsyncStream<Void>) {
    let (events, continuation) = AsyncStream.makeStream(of: Void.self)
    return (try PathWatch(path: path, eachWrite: true) { continuation.yield() }, events)
  }

  private func expectEvent(
    of path: String, after change: () throws -> Void
  ) async throws {
    let (watch, events) = try watch(path)
    try change()
    // The time limit ends a wait for a missing event.
    for await _ in events { break }
    withExtendedLifetime(watch) {}
  }

  @Test func makingTheFileIsReported() async throws {
    try await expectEvent(of: directory("file")) {
      try FileSystem().replaceFile(at: directory("file"), with: [1])
    }
  }

  @Test func appendingIsReported() async throws {
    try FileSystem().replaceFile(at: directory("file"), with: [1])
    try await expectEvent(of: directory("file")) {
      try FileSystem().open(directory("file"), O_WRONLY).write([2], at: 1)
    }
  }

  @Test func replacingIsReported() async throws {
    try FileSystem().replaceFile(at: directory("file"), with: [1])
    let (watch, events) = try watch(directory("file"))
    var iterator = events.makeAsyncIterator()
    // The watch follows the path, not the file.
    for byte in UInt8(0)..<3 {
      try FileSystem().replaceFile(at: directory("file"), with: [byte])
      await iterator.next()
    }
    withExtendedLifetime(watch) {}
  }

  @Test func removingIsReported() async throws {
    try FileSystem().replaceFile(at: directory("file"), with: [1])
    try await expectEvent(of: directory("file")) { try FileSystem().unlink(directory("file")) }
  }

  @Test func changingTheModeIsReported() async throws {
    try FileSystem().replaceFile(at: directory("file"), with: [1])
    try await expectEvent(of: directory("file")) {
      try FileSystem().open(directory("file"), O_RDONLY).changeMode(to: 0o640)
    }
  }

  /// Expects that nothing is reported in one of several attempts.
  ///
  /// All tests share an inotify instance: if its queue overflows, every watch is called.
  private func expectSilence(
    _ attempt: (_ report: @escaping @Sendable () -> Void) async throws -> Void
  ) async throws {
    for _ in 0..<5 {
      let calls = Lock(0)
      try await attempt { calls.withLock { $0 += 1 } }
      if calls.withLock({ $0 }) == 0 { return }
    }
    Issue.record("Something was reported each time.")
  }

  @Test func otherFilesAreNot() async throws {
    try await expectSilence { report in
      let watch = try PathWatch(path: directory("file"), eachWrite: true, handler: report)
      // A second watch, of another file in the same directory, proves that events arrive.
      let (witness, events) = try self.watch(directory("other"))
      for name in ["fil", "file.lock", ".file", "File"] {
        try FileSystem().replaceFile(at: directory(name), with: [1])
      }
      try FileSystem().replaceFile(at: directory("other"), with: [1])
      for await _ in events { break }
      withExtendedLifetime((watch, witness)) {}
    }
  }

  @Test func releasedWatchReportsNothingAndAllShareADescriptor() async throws {
    try await expectSilence { report in
      // More in total than a user's limit of inotify instances.
      for _ in 0..<200 {
        let watch = try PathWatch(path: directory("file"), eachWrite: true, handler: report)
        withExtendedLifetime(watch) {}
      }
      let (witness, events) = try watch(directory("file"))
      try FileSystem().replaceFile(at: directory("file"), with: [1])
      for await _ in events { break }
      withExtendedLifetime(witness) {}
    }
    let instances = try FileSystem().targets(in: "/proc/self/fd").filter { $0.contains("inotify") }
    #expect(instances.count == 1)
  }

  @Test func missingDirectoryIsWatchedFor() async throws {
    try await expectEvent(of: directory("a/file")) {
      try FileSystem().makeDirectories(directory("a"))
      try FileSystem().replaceFile(at: directory("a/file"), with: [1])
    }
  }
}

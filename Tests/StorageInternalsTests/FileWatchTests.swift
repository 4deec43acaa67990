import StorageInternals
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

@Suite(.timeLimit(.minutes(10))) struct FileWatchTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  /// A watch, and what it reported.
  private func watch(
    _ path: String
  ) throws -> (watch: FileWatch, events: AsyncStream<Void>) {
    let (events, continuation) = AsyncStream.makeStream(of: Void.self)
    return (try FileWatch(path: path) { continuation.yield() }, events)
  }

  private func expectEvent(
    of path: String, after change: () throws -> Void
  ) async throws {
    let (watch, events) = try watch(path)
    try change()
    // The time limit is what ends a wait in vain.
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
    // The watch stays with the path, whatever file is there.
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

  @Test func otherFilesAreNot() async throws {
    let calls = Lock(0)
    let watch = try FileWatch(path: directory("file")) { calls.withLock { $0 += 1 } }
    // A second watch, of another file in the same directory, is the witness that events arrive.
    let (witness, events) = try self.watch(directory("other"))
    for name in ["fil", "file.lock", ".file", "File"] {
      try FileSystem().replaceFile(at: directory(name), with: [1])
    }
    try FileSystem().replaceFile(at: directory("other"), with: [1])
    for await _ in events { break }
    #expect(calls.withLock { $0 } == 0)
    withExtendedLifetime((watch, witness)) {}
  }

  @Test func releasedWatchReportsNothingAndClosesItsDescriptor() async throws {
    let calls = Lock(0)
    // More in all than a user may have instances of inotify at once.
    var count = 0
    while count < 200 {
      do {
        let watch = try FileWatch(path: directory("file")) { calls.withLock { $0 += 1 } }
        withExtendedLifetime(watch) {}
        count += 1
      } catch {
        // The queue of a released watch closes it a little later, and the kernel forgets it later
        // still.
        if error.code != EMFILE { throw error }
        usleep(500)
      }
      while try instances() > 40 { usleep(500) }
    }
    let (witness, events) = try self.watch(directory("file"))
    try FileSystem().replaceFile(at: directory("file"), with: [1])
    for await _ in events { break }
    #expect(calls.withLock { $0 } == 0)
    withExtendedLifetime(witness) {}
  }

  /// How many instances of inotify this process has.
  private func instances() throws -> Int {
    var count = 0
    for name in try FileSystem().entries(of: "/proc/self/fd") {
      do throws(SystemError) {
        let target = try FileSystem().linkTarget(of: "/proc/self/fd/\(name)")
        if target.contains("inotify") { count += 1 }
      } catch {
        // Closed meanwhile.
        if error.code != ENOENT { throw error }
      }
    }
    return count
  }

  @Test func missingDirectoryIsAnError() {
    #expect(throws: SystemError(call: .inotify, path: directory("a/file"), code: ENOENT)) {
      _ = try FileWatch(path: directory("a/file")) {}
    }
  }
}

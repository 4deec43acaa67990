import CLibrary
import StorageInternals
import TestSupport
import Testing

@Suite struct FileTests {
  /// In memory, where files can have any date.
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory(inMemory: true) }

  private var path: String { directory("file") }

  @Test func readingEndsWithTheFile() throws {
    try FileSystem().replaceFile(at: path, with: [1, 2, 3])
    let file = try FileSystem().open(path, O_RDONLY)
    #expect(try file.read(from: 1, count: 1) == [2])
    #expect(try file.read(from: 1, count: 10) == [2, 3])
    #expect(try file.read(from: 3, count: 10) == [])
    #expect(try file.read(from: 99, count: 10) == [])
    #expect(try file.read(from: 0, count: 0) == [])
    // A count of a damaged file allocates no memory.
    #expect(try file.read(from: 1, count: .max) == [2, 3])
    #expect(try file.read(from: 99, count: .max) == [])
  }

  /// A race that the thread sanitizer should detect.
  @Test func concurrentEmptyReadsHaveNoRace() throws {
    try FileSystem().replaceFile(at: path, with: [])
    try onThreads(2) { _ in
      let file = try FileSystem().open(path, O_RDONLY)
      for _ in 0..<1000 { #expect(try file.read(from: 0, count: 0) == []) }
    }
  }

  @Test func bytesAreWrittenAtTheOffset() throws {
    let file = try FileSystem().open(path, O_RDWR | O_CREAT, mode: 0o600)
    try file.write([1, 2, 3], at: 0)
    try file.write([9], at: 1)
    try file.write([8, 9], at: 3)
    #expect(try file.read(from: 0, count: 99) == [1, 9, 3, 8, 9])
    try file.truncate(to: 2)
    #expect(try file.status().size == 2)
  }

  @Test func failedReadAndWriteAreThrown() throws {
    let fault = FileSystem { call, _ in call == .read || call == .write ? EIO : nil }
    let file = try fault.open(path, O_RDWR | O_CREAT, mode: 0o600)
    #expect(throws: SystemError(call: .write, path: path, code: EIO)) { try file.write([1], at: 0) }
    #expect(throws: SystemError(call: .read, path: path, code: EIO)) {
      try file.read(from: 0, count: 1)
    }
  }

  @Test func dateFarInTheFutureDoesNotTrap() throws {
    try FileSystem().replaceFile(at: path, with: [])
    let times = Array(repeating: timespec(tv_sec: 14_000_000_000, tv_nsec: 0), count: 2)
    unsafe #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    #expect(try FileSystem().status(of: path)?.modified == 14_000_000_000 &* 1_000_000_000)
  }
}

import Concurrency
import StorageTesting
import TestSupport
import Testing

@testable import KeyValueStorage

@Suite(.expectsFailures)
struct FileBackendConformanceTests {
  @Test(arguments: KeyValueBackendConformance.Check.allCases, KeyValueFormat.allCases)
  func fileConforms(_ check: KeyValueBackendConformance.Check, in format: KeyValueFormat)
    async throws
  {
    let file = try BackendFile()
    @Sendable func open() -> FileBackend { FileBackend(path: file.path, format: format) }
    await KeyValueBackendConformance(
      "FileBackend", timeout: nil, notifiesOncePerChange: false, makeBackend: { open() },
      reopen: { _ in open() }, damage: { _ in try file.overwrite("}") }
    ).run(check)
  }

  /// A backend that does not flush is simulated by ignoring what the real one flushes.
  @Test(arguments: [true, false]) func unflushedUpdateIsDetected(isFlushed: Bool) async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let currentDisk = Lock(try ModeledDisk([directory.path], hasNamelessFiles: false))
    @Sendable func open() -> FileBackend {
      FileBackend(
        path: directory("settings.json"), format: .json,
        fileSystem: currentDisk.withLock { $0 }.fileSystem)
    }
    let findings = await KeyValueBackendConformance(
      "FileBackend", timeout: nil, makeBackend: { open() },
      reopenAfterCrash: { _ in
        let disk = currentDisk.withLock { $0 }
        let changes = disk.changes.filter { isFlushed || !$0.isFlush }
        var generator = Campaign.generator(0)
        // Of the changes that were not flushed, none survives.
        try disk.install(
          disk.files(cutAfter: changes.count, of: changes, odds: 0, using: &generator))
        let next = try ModeledDisk(disk.directories, hasNamelessFiles: false)
        currentDisk.withLock { $0 = next }
        return open()
      }
    ).findings(of: .updatesAreDurable)
    #expect(findings.isEmpty == isFlushed, "\(findings)")
  }
}

extension ModeledDisk.Change {
  fileprivate var isFlush: Bool {
    switch self {
    case .synchronize, .synchronizeNames: true
    case .write, .truncate, .names: false
    }
  }
}

import FoundationEssentials
import StorageTesting
import TestSupport
import Testing

@testable import KeyValueStorage

@Suite(.expectsFailures)
struct BackendConformanceTests {
  private static let memory = KeyValueBackendConformance("MemoryBackend") { MemoryBackend() }

  @Test(arguments: memory.checks)
  func memoryConforms(_ check: KeyValueBackendConformance.Check) async {
    await Self.memory.run(check)
  }

  @Test(arguments: KeyValueFormat.allCases, KeyValueBackendConformance.Check.allCases)
  func fileConforms(
    _ format: KeyValueFormat, _ check: KeyValueBackendConformance.Check
  ) async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let (folder, file, aside) = (directory("folder"), directory("folder/settings"), directory("x"))
    @Sendable func open() -> FileBackend { FileBackend(path: file, format: format) }
    let conformance = KeyValueBackendConformance(
      "FileBackend, \(format)",
      // The kernel reports a replacement of a file in several events.
      notifiesOnce: false, makeBackend: open, reopen: { _ in open() },
      damage: { _ in try Data("{\"a\": ".utf8).write(to: URL(filePath: file)) },
      interrupt: { _ in
        // A file in place of the directory.
        try FileManager.default.moveItem(atPath: folder, toPath: aside)
        try Data().write(to: URL(filePath: folder))
        return {
          try FileManager.default.removeItem(atPath: folder)
          try FileManager.default.moveItem(atPath: aside, toPath: folder)
        }
      })
    await conformance.run(check)
  }
}

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
    let file = try BackendFile("settings.json")
    @Sendable func open() -> FileBackend { FileBackend(path: file.path, format: format) }
    await KeyValueBackendConformance(
      "FileBackend", timeout: nil, notifiesOncePerChange: false, makeBackend: { open() },
      reopen: { _ in open() }, damage: { _ in try file.overwrite("}") }
    ).run(check)
  }
}

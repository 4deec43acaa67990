import CLibrary
import TestSupport
import Testing

struct MigrationKillTests {
  /// The last point follows the last write, and precedes the removal of the source.
  @Test(arguments: [0, 2, 5]) func killedMigrationContinues(count: Int) throws {
    let source = try MigratedSource(count: 5)
    let child = try source.migrate(stoppingAfter: count, until: ".\tmigrate\t\(count)\n")
    child.stop()
    #expect(child.end() == SIGKILL)
    #expect(try source.exists)
    #expect(try source.expectContinuation() == count)
  }

  @Test func sourceIsRemovedAfterTheLastSecretIsStored() throws {
    let source = try MigratedSource(count: 5)
    let child = try source.migrate(until: ".\tmigrate\t5\n")
    #expect(try source.exists)
    #expect(try source.vault.texts() == source.expected)
    source.allow()
    try child.wait()
    #expect(try !source.exists)
    #expect(try source.vault.texts() == source.expected)
  }
}

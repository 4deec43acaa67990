import CLibrary
import TestSupport
import Testing

/// Processes killed at random moments of a migration.
struct MigrationKillCampaign {
  /// Kills a process some time later, unless it ends before.
  private func kill(_ child: ChildProcess, within microseconds: UInt32, _ round: Int) {
    var generator = Campaign.generator(round)
    usleep(UInt32.random(in: 0..<microseconds, using: &generator))
    child.stop()
    let status = child.end()
    #expect(status == SIGKILL || status == 0)
  }

  @Test func removalIsKilled() throws {
    var removed = 0
    for round in 0..<300 {
      let source = try MigratedSource(count: 5)
      let child = try source.migrate(until: "\n.\tmigrate\t5\n")
      source.allow()
      kill(child, within: 3000, round)
      if try !source.exists { removed += 1 }
      #expect(try source.expectContinuation() == 5)
    }
    print("Killed around the removal: \(removed) of 300 sources were removed.")
    #expect(removed > 0 && removed < 300)
  }

  @Test func migrationIsKilled() throws {
    var partial = 0
    for round in 0..<100 {
      let source = try MigratedSource(count: 300)
      source.allow()
      kill(try source.migrate(until: "+\tmigrate"), within: 1_000_000, round)
      if (1..<300).contains(try source.expectContinuation()) { partial += 1 }
    }
    print("Killed at work: \(partial) of 100 migrations were half done.")
    // A campaign without an interrupted migration would prove nothing.
    #expect(partial > 0)
  }
}

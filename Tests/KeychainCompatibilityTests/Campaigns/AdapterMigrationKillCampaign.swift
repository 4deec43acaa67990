import CLibrary
import FoundationEssentials
import KeychainCompatibility
import SecretStorage
import TestSupport
import Testing

/// Migrations of a 0.x adapter's items whose process is killed at random moments.
struct AdapterMigrationKillCampaign {
  /// A text that is JSON again after its conversion, so that converting it twice would show.
  private static let json = #""\"twice\"""#

  @Test func killedRunIsFinishedByTheNext() throws {
    let keys = (0..<60).map { "key \($0)" }
    var generator = Campaign.generator()
    var partial = 0
    for _ in 0..<200 {
      let directory = try VaultDirectory()
      let vault = directory.open()
      for key in keys { try vault.add(json: Self.json, "service", key) }
      let child = try ChildProcess(
        executable: "VaultProcess",
        ["convert", directory.path, directory.statePath, "service"] + keys,
        output: directory.directory("journal"))
      let first = directory.open()
      try wait { try child.hasEnded || first.names().contains("service.migration/-") }
      usleep(UInt32.random(in: 0..<100_000, using: &generator))
      child.stop()
      let status = child.end()
      #expect(status == SIGKILL || status == 0)

      var migration = AdapterMigration(serviceIdentifier: "service", in: directory.open())
      for key in keys { migration.convert(key, as: String.self) }
      let report = try migration.run()
      let done = report.keys(.alreadyConverted).count
      if done > 0, done < keys.count { partial += 1 }
      #expect(done + report.keys(.converted).count == keys.count)
      let other = directory.open()
      for key in keys { #expect(try other.text("service", key) == #""twice""#) }
      #expect(
        try other.names() == Set(keys.map { "service/\($0)" } + ["service.migration/-"]))
      #expect(try other.items(matching: .all).count == keys.count + 1)
      #expect(try other.verify().isSound)
    }
    // A campaign that never interrupted a migration halfway would prove nothing.
    #expect(partial > 0)
  }
}

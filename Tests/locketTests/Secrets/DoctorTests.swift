import FoundationEssentials
import TestSupport
import Testing

final class DoctorTests: ToolTests {
  @Test func machineWithoutVaultHasNoProblem() throws {
    let report = try machine.output("doctor")
    #expect(report.contains("\(machine.vaultFile.path), does not exist yet"))
    let end = "\nNo problem was found.\n\n  Settings  \(machine.settingsFile.path) (0 settings)\n"
    #expect(report.hasSuffix(end))
    #expect(!machine.exists(".config"))
  }

  @Test func settingsAreOnlyCounted() throws {
    try machine.set("volume", to: "0.8")
    try machine.set("nickname", to: "\"Kiki\"")
    let report = try machine.output("doctor")
    #expect(report.hasSuffix("\n  Settings  \(machine.settingsFile.path) (2 settings)\n"))
    #expect(!report.contains("volume") && !report.contains("Kiki"))
    try Data("{".utf8).write(to: machine.settingsFile)
    let broken = try machine.run("doctor")
    #expect(broken.status == 2)
    #expect(
      broken.output.contains(
        "\n! Settings  \(machine.settingsFile.path) cannot be read at line 1, column 2: "))
  }

  @Test(.enabled(if: WithoutInotify.isPossible, "The machine has no user namespaces."))
  func missingInotifyIsAProblem() throws {
    let words = WithoutInotify.words([machine.executable, "doctor"])
    let ended = try machine.run(words, environment: machine.environment())
    #expect(ended.status == 2)
    #expect(ended.output.contains("! Observing"))
    #expect(ended.output.contains("fs.inotify.max_user_instances"))
    #expect(try machine.output("doctor").contains("  Observing"))
  }

  @Test func vaultIsDescribedWithoutItsNames() throws {
    try machine.store("tajny", "--service clandestine --account mata.hari")
    let report = try machine.output("doctor")
    #expect(report.contains("\(machine.vaultFile.path), "))
    #expect(report.contains("Opened by        this device's key\n"))
    for word in ["tajny", "clandestine", "mata.hari"] { #expect(!report.contains(word)) }
    _ = try machine.lock()
    #expect(try machine.output("doctor").contains("yes: unlock it with its passphrase"))
  }

  @Test func otherVaultCanBeNamed() throws {
    try machine.store("tajny", "--service mail")
    let (file, state) = (machine.path("other/a.vault"), machine.path("other state"))
    let report = try machine.output("doctor --vault \(file) --state", state)
    #expect(report.contains("\n  Vault file       \(file), does not exist yet"))
    #expect(report.contains("\n  Device key       \(state)/device.key, does not exist yet"))
    #expect(report.contains("\n  Items            0\n"))
    #expect(!report.contains(machine.vaultFile.path) && !report.contains(machine.state.path))
  }
}

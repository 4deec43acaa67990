import FoundationEssentials
import TestSupport
import Testing

struct DoctorTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  @Test func nothingIsWrongBeforeTheFirstSecret() throws {
    let ended = try machine.run("doctor")
    #expect(ended.status == 0)
    #expect(ended.output.contains("\(machine.vaultFile.path), does not exist yet"))
    let end = "\nNo problem was found.\n\n  Settings  \(machine.settingsFile.path) (0 settings)\n"
    #expect(ended.output.hasSuffix(end))
    #expect(!FileManager.default.fileExists(atPath: machine.path(".config")))
  }

  @Test func theSettingsAreCountedAndNotShown() throws {
    try machine.set("volume", to: "0.8")
    try machine.set("nickname", to: "\"Kiki\"")
    let ended = try machine.run("doctor")
    #expect(ended.status == 0)
    #expect(ended.output.hasSuffix("\n  Settings  \(machine.settingsFile.path) (2 settings)\n"))
    #expect(!ended.output.contains("volume") && !ended.output.contains("Kiki"))
  }

  @Test func settingsThatCannotBeReadAreAProblem() throws {
    try machine.set("volume", to: "0.8")
    try Data("{".utf8).write(to: machine.settingsFile)
    let ended = try machine.run("doctor")
    #expect(ended.status == 2)
    #expect(
      ended.output.contains(
        "\n! Settings  \(machine.settingsFile.path) cannot be read at line 1, column 2: "))
  }

  @Test(.enabled(if: WithoutInotify.isPossible))
  func aKernelThatReportsNoChangesIsAProblem() throws {
    let words = WithoutInotify.words([Machine.executable, "doctor"])
    let ended = try machine.run(words, input: "", environment: machine.environment)
    #expect(ended.status == 2)
    #expect(ended.output.contains("! Observing"))
    #expect(ended.output.contains("fs.inotify.max_user_instances"))
    #expect(try machine.run("doctor").output.contains("  Observing"))
  }

  @Test func aVaultIsDescribedWithoutItsNames() throws {
    try machine.store("tajny", "--service", "clandestine", "--account", "mata.hari")
    let ended = try machine.run("doctor")
    #expect(ended.status == 0)
    #expect(ended.output.contains("\(machine.vaultFile.path), "))
    #expect(ended.output.contains("Opened by        this device's key\n"))
    for word in ["tajny", "clandestine", "mata.hari"] { #expect(!ended.output.contains(word)) }
  }

  @Test func aLockedVaultIsNoProblem() throws {
    _ = try machine.lock()
    let ended = try machine.run("doctor")
    #expect(ended.status == 0)
    #expect(ended.output.contains("yes: unlock it with its passphrase"))
  }

  @Test func aVaultCanBeNamed() throws {
    let ended = try machine.run(
      "doctor", "--vault", "/nowhere/a.vault", "--state", machine.state.path)
    #expect(ended.status == 0 || ended.output.contains("! Vault directory"))
    #expect(ended.output.contains("/nowhere/a.vault, does not exist yet"))
    #expect(!ended.output.contains(machine.vaultFile.path))
  }
}

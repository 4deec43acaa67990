import FoundationEssentials
import TestSupport
import Testing

/// What is wrong with a vault is an error with exit status 2.
final class TroubleTests: ToolTests {
  private static let peter = "--service mail --account peter"

  override init() throws {
    try super.init()
    try machine.store("tajny", Self.peter)
    try machine.store("hemlig", "--service mail --account paul")
  }

  private var secret: String { get throws { try machine.output("secrets get \(Self.peter)") } }

  private func expectError(
    _ reason: String,
    of commands: [String] = ["list", "get \(peter)", "set \(peter)", "delete \(peter)"]
  ) throws {
    for command in commands {
      let ended = try machine.run("secrets \(command)", input: "new")
      #expect(ended.status == 2)
      #expect(
        ended.errors.hasPrefix("locket: ") && ended.errors.contains(reason), "\(ended.errors)")
      #expect(!"\(ended)".contains("tajny") && !"\(ended)".contains("hemlig"))
    }
    #expect(try machine.run("doctor").status == 2)
  }

  @Test(arguments: [
    (
      "chmod 644 secrets.vault",
      "is accessible to other users: remove their permissions with chmod 600."
    ),
    ("mv secrets.vault elsewhere; ln -s elsewhere secrets.vault", "is a symbolic link."),
    ("rm -r ../../state/locket", "is sealed for another device."),
    ("echo not a vault >secrets.vault", "is not a vault"),
  ])
  func unusableVaultIsAnError(script: String, reason: String) throws {
    _ = try machine.shell("cd .local/share/locket; \(script)").success
    try expectError(reason)
  }

  @Test func olderCopyIsAnErrorUntilItIsAccepted() throws {
    let older = try Data(contentsOf: machine.vaultFile)
    try machine.store("new", Self.peter)
    try older.write(to: machine.vaultFile)
    try expectError("an older copy was restored")
    try machine.output("secrets accept-rollback")
    #expect(try secret == "tajny\n")
  }

  @Test func otherVaultIsAnErrorUntilItIsAccepted() throws {
    let first = try Data(contentsOf: machine.vaultFile)
    try FileManager.default.removeItem(at: machine.vaultFile)
    #expect(try machine.run("secrets set \(Self.peter)", input: "new").status == 0)
    try first.write(to: machine.vaultFile)
    try expectError("is not the vault that this machine has recorded at this path")
    try machine.output("secrets accept-replacement")
    #expect(try secret == "tajny\n")
  }

  @Test func missingVaultIsAnErrorUntilItIsAccepted() throws {
    let key = try machine.lockByKeyFile()
    try FileManager.default.removeItem(at: machine.vaultFile)
    try expectError("is missing, but this machine has recorded a vault at this path")
    try machine.output("secrets accept-replacement")
    #expect(try machine.output("secrets list") == "")
    try machine.store("new", Self.peter)
    #expect(try machine.output("secrets get \(Self.peter) --key-file", key) == "new\n")
  }

  /// A vault that this device alone could open is replaced by the next one.
  @Test func missingDefaultVaultIsReported() throws {
    try FileManager.default.removeItem(at: machine.vaultFile)
    let report = "\(machine.vaultFile.path) is missing, but this machine has recorded a vault"
    let commands: [(String, Int32)] = [
      ("list", 0), ("get \(Self.peter)", 1), ("delete \(Self.peter)", 1), ("set \(Self.peter)", 0),
    ]
    for (command, status) in commands {
      let ended = try machine.run("secrets \(command)", input: "new")
      #expect(ended.status == status && ended.output == "", "\(command): \(ended)")
      #expect(ended.errors.split(separator: report).count == 2, "\(command): \(ended)")
    }
    #expect(try secret == "new\n")
  }

  @Test func sharedDirectoryIsUsedOnlyOnRequest() throws {
    let place =
      "--service mail --vault \(machine.path("shared/vault")) --state \(machine.path("s"))"
    func mode() throws -> String { try machine.shell("stat -c %a shared").output }
    _ = try machine.shell("mkdir -m 777 shared").success
    try machine.store("new", "\(place) --shared")
    #expect(try mode() == "777\n")
    try machine.store("new", place)
    #expect(try mode() == "755\n")
  }

  @Test func damagedVaultIsRepaired() throws {
    var content = try Data(contentsOf: machine.vaultFile)
    content[content.count - 3] ^= 1
    try content.write(to: machine.vaultFile)
    try expectError("damaged", of: ["get --service mail --account paul", "list"])
    #expect(try secret == "tajny\n")

    let verify = try machine.run("secrets verify")
    #expect(verify.status == 2)
    #expect(verify.output.contains("damaged: bytes "))
    #expect(verify.errors.contains("secrets repair"))
    let doctor = try machine.run("doctor")
    #expect(doctor.status == 2 && doctor.output.contains("\n! Damage "))

    #expect(try machine.output("secrets repair").hasPrefix("was damaged: bytes "))
    #expect(try machine.run("secrets verify").status == 0)
    #expect(try machine.output("secrets list") == "\(Self.peter)\t\n")
    #expect(try machine.output("secrets repair") == "Nothing is damaged. Nothing was changed.\n")

    // The keys of before the rotation still open the damaged file.
    let rotation = try machine.run("secrets rotate")
    #expect(rotation.status == 0 && rotation.errors.contains(".damaged-"))
    #expect(try machine.output("secrets remove-damaged").hasPrefix("removed: /"))
    #expect(
      try machine.output("secrets remove-damaged")
        == "There are no damaged files. Nothing was removed.\n")
  }

  @Test func missingHomeIsAnError() throws {
    let ended = try machine.run([machine.executable, "secrets", "list"], environment: [])
    #expect(ended.status == 2)
    #expect(ended.errors.contains("Set one of XDG_DATA_HOME, HOME, STATE_DIRECTORY"))
  }
}

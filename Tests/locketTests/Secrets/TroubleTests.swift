import CLibrary
import FoundationEssentials
import TestSupport
import Testing

/// What is wrong with a vault is said with exit status 2.
struct TroubleTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.store("tajny", "--service", "mail", "--account", "peter")
    try machine.store("hemlig", "--service", "mail", "--account", "paul")
  }

  private func expect(_ reason: String, of arguments: String...) throws {
    let ended = try machine.run(arguments, input: "new")
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: ") && ended.errors.contains(reason), "\(ended.errors)")
    #expect(!"\(ended)".contains("tajny") && !"\(ended)".contains("hemlig"))
  }

  private func expectEverywhere(_ reason: String) throws {
    try expect(reason, of: "secrets", "list")
    try expect(reason, of: "secrets", "get", "--service", "mail", "--account", "peter")
    try expect(reason, of: "secrets", "set", "--service", "mail", "--account", "peter")
    try expect(reason, of: "secrets", "delete", "--service", "mail", "--account", "peter")
    #expect(try machine.run("doctor").status == 2)
  }

  @Test func aVaultThatOthersMayReadIsRefused() throws {
    #expect(unsafe chmod(machine.vaultFile.path, 0o644) == 0)
    try expectEverywhere("is accessible to other users: remove their permissions with chmod 600.")
  }

  @Test func aSymbolicLinkIsRefused() throws {
    let elsewhere = machine.home.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: machine.vaultFile, to: elsewhere)
    try FileManager.default.createSymbolicLink(
      at: machine.vaultFile, withDestinationURL: elsewhere)
    try expectEverywhere("is a symbolic link.")
  }

  @Test func aVaultOfAnotherDeviceIsRefused() throws {
    try FileManager.default.removeItem(at: machine.state)
    try expectEverywhere("is sealed for another device.")
  }

  @Test func aFileThatIsNoVaultIsRefused() throws {
    try Data("not a vault\n".utf8).write(to: machine.vaultFile)
    try expectEverywhere("is not a vault")
  }

  @Test func anOlderCopyIsRefusedUntilItIsAccepted() throws {
    let older = try Data(contentsOf: machine.vaultFile)
    try machine.store("new", "--service", "mail", "--account", "peter")
    try older.write(to: machine.vaultFile)
    try expectEverywhere("an older copy was restored")
    #expect(try machine.run("secrets", "accept-rollback").status == 0)
    let ended = try machine.run("secrets", "get", "--service", "mail", "--account", "peter")
    #expect(ended.output == "tajny\n")
  }

  @Test func anotherVaultIsRefusedUntilItIsAccepted() throws {
    let first = try Data(contentsOf: machine.vaultFile)
    try FileManager.default.removeItem(at: machine.vaultFile)
    try machine.store("new", "--service", "mail", "--account", "peter")
    try first.write(to: machine.vaultFile)
    try expectEverywhere("is not the vault that this machine has recorded at this path")
    #expect(try machine.run("secrets", "accept-replacement").status == 0)
    let ended = try machine.run("secrets", "get", "--service", "mail", "--account", "peter")
    #expect(ended.output == "tajny\n")
  }

  @Test func aVaultThatVanishedIsMissedUntilThatIsAccepted() throws {
    let passphrase = try machine.lock()
    try FileManager.default.removeItem(at: machine.vaultFile)
    try expectEverywhere("is missing, but this machine has recorded a vault at this path")
    #expect(try machine.run("secrets", "accept-replacement").status == 0)
    #expect(try machine.run("secrets", "list").output == "")
    try machine.store("new", "--service", "mail", "--account", "peter")
    let ended = try machine.run(
      "secrets", "get", "--service", "mail", "--account", "peter", "--passphrase-file", passphrase)
    #expect(ended.output == "new\n")
  }

  @Test func aDirectoryThatOthersMayWriteToIsUsedWhereThatIsSaid() throws {
    let directory = machine.home.appending(path: "shared", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let place = [
      "--vault", directory.appending(path: "vault").path,
      "--state", machine.home.appending(path: "state").path,
    ]
    func mode() throws -> String { try machine.shell("stat -c %a shared").output }
    let set = ["secrets", "set", "--service", "mail"] + place
    #expect(unsafe chmod(directory.path, 0o777) == 0)
    #expect(try machine.run(set + ["--shared"], input: "new").status == 0)
    #expect(try mode() == "777\n")
    #expect(try machine.run(set, input: "new").status == 0)
    #expect(try mode() == "755\n")
  }

  @Test func aDamagedVaultGivesWhatIsIntactAndIsRepaired() throws {
    var content = try Data(contentsOf: machine.vaultFile)
    content[content.count - 3] ^= 1
    try content.write(to: machine.vaultFile)
    try expect("damaged", of: "secrets", "get", "--service", "mail", "--account", "paul")
    try expect("damaged", of: "secrets", "list")
    let intact = try machine.run("secrets", "get", "--service", "mail", "--account", "peter")
    #expect(intact.status == 0 && intact.output == "tajny\n")

    let verify = try machine.run("secrets", "verify")
    #expect(verify.status == 2)
    #expect(verify.output.contains("damaged: bytes "))
    #expect(verify.errors.contains("secrets repair"))
    let doctor = try machine.run("doctor")
    #expect(doctor.status == 2 && doctor.output.contains("\n! Damage "))

    let repair = try machine.run("secrets", "repair")
    #expect(repair.status == 0 && repair.output.hasPrefix("was damaged: bytes "))
    #expect(try machine.run("secrets", "verify").status == 0)
    #expect(
      try machine.run("secrets", "list").output == "--service mail --account peter\t\n")
    let again = try machine.run("secrets", "repair")
    #expect(again.output == "Nothing is damaged. Nothing was changed.\n")

    // What opened the damaged file opens it still.
    let file = try machine.file("passphrase", "totoro\n")
    let locked = try machine.run("secrets", "passphrase", "--new-passphrase-file", file)
    #expect(locked.status == 0 && locked.errors.contains(".damaged-"))
    let removed = try machine.run("secrets", "remove-damaged")
    #expect(removed.status == 0 && removed.output.hasPrefix("removed: /"))
    let none = try machine.run("secrets", "remove-damaged")
    #expect(none.output == "There are no damaged files. Nothing was removed.\n")
  }

  @Test func aMissingHomeIsSaid() throws {
    let errors = machine.home.appending(path: "errors")
    let process = try StartedProcess.spawn(
      [Machine.executable, "secrets", "list"], environment: [],
      files: [("/dev/null", 0), ("/dev/null", 1), (errors.path, O_WRONLY | O_CREAT)])
    #expect(try StartedProcess.wait(for: process) == 2)
    let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
    #expect(text.contains("Set one of XDG_DATA_HOME, HOME, STATE_DIRECTORY"))
  }
}

import CLibrary
import FoundationEssentials
import TestSupport
import Testing

/// What is wrong with a file of settings is said with exit status 2, and nothing is written to it.
struct UnreadableSettingsTests {
  private static let commands = [
    ["get", "a"], ["set", "a", "1"], ["list"], ["reset", "a"], ["move-aside"],
  ]

  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  private func run(_ command: [String], _ name: String) throws -> Ended {
    try machine.run(["settings"] + command + ["--file", machine.path(name)], input: "")
  }

  private func expectEverywhere(
    _ reason: String, of name: String, for commands: [[String]] = Self.commands
  ) throws {
    for command in commands {
      let ended = try run(command, name)
      #expect(ended.status == 2, "\(command)")
      #expect(ended.output == "")
      #expect(ended.errors.hasPrefix("locket: "))
      #expect(ended.errors.contains(reason), "\(ended.errors)")
    }
  }

  @Test func aBrokenFileIsNamedWithThePlaceUntilItIsMovedAside() throws {
    let broken = "{\n  \"a\": 1,\n  \"b\" 2\n}\n"
    _ = try machine.file("s.json", broken)
    try expectEverywhere(
      "s.json cannot be read at line 3, column 7: expected a colon.", of: "s.json",
      for: Self.commands.dropLast())
    let advice = "`locket settings move-aside --file \(machine.path("s.json"))`.\n"
    for command in Self.commands.dropLast() {
      #expect(try run(command, "s.json").errors.hasSuffix(advice), "\(command)")
    }
    #expect(try machine.text("s.json") == broken)

    let aside = try run(["move-aside"], "s.json")
    #expect(aside.status == 0)
    let path = aside.output.dropFirst("moved to ".count).dropLast()
    #expect(path.hasPrefix(machine.path("s.json.unreadable-")))
    #expect(try Data(contentsOf: URL(filePath: String(path))) == Data(broken.utf8))
    #expect(try run(["set", "a", "1"], "s.json").status == 0)
    #expect(try run(["list"], "s.json").output == "a\t1\n")
    #expect(
      try run(["move-aside"], "s.json").output
        == "The settings can be read. Nothing was changed.\n")
  }

  @Test func adviceIsACommandForTheSameFile() throws {
    let script = "printf { > \"a b.json\"; \"$0\" settings get a --file \"a b.json\""
    let ended = try machine.shell(script)
    #expect(ended.errors.hasSuffix("`locket settings move-aside --file 'a b.json'`.\n"))
    try FileManager.default.createDirectory(
      at: machine.settingsFile.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("{".utf8).write(to: machine.settingsFile)
    let own = try machine.run("settings", "get", "a")
    #expect(own.errors.hasSuffix("`locket settings move-aside`.\n"))
  }

  @Test func aPropertyListInTheOtherFormatIsRefused() throws {
    _ = try machine.file("s.plist", "{ \"a\": 1 }")
    try expectEverywhere(
      "the file seems to be JSON", of: "s.plist", for: Self.commands.dropLast())
  }

  @Test func anEmptyFileIsNoAbsence() throws {
    _ = try machine.file("s.json", "")
    try expectEverywhere("s.json is empty", of: "s.json", for: [["get", "a"], ["list"]])
  }

  @Test(arguments: ["s.json", "s.plist"]) func aDirectoryIsRefused(name: String) throws {
    try FileManager.default.createDirectory(
      at: machine.home.appending(path: name), withIntermediateDirectories: false)
    try expectEverywhere(
      "\(name) is not a regular file.", of: name, for: Self.commands + [["watch"]])
  }

  @Test(arguments: ["s.json", "s.plist"]) func aPipeIsNotWaitedFor(name: String) throws {
    #expect(unsafe mkfifo(machine.path(name), 0o600) == 0)
    try expectEverywhere(
      "\(name) is not a regular file.", of: name, for: Self.commands + [["watch"]])
  }

  @Test func aPathThatLeadsNowhereIsRefused() throws {
    try FileManager.default.createSymbolicLink(
      atPath: machine.path("s.json"), withDestinationPath: "s.json")
    try expectEverywhere(
      "s.json failed: Too many levels of symbolic links (errno 40).", of: "s.json",
      for: Self.commands + [["watch"]])
    _ = try machine.file("file", "")
    try expectEverywhere("Not a directory (errno 20).", of: "file/s.json")
  }

  @Test(.enabled(if: geteuid() != 0, "nothing is forbidden to this user"))
  func aFileThatMayNotBeReadIsRefused() throws {
    let path = try machine.file("s.json", "{\"a\": 1}")
    #expect(unsafe chmod(path, 0) == 0)
    try expectEverywhere(
      "Permission denied (errno 13).", of: "s.json", for: Self.commands + [["watch"]])
  }

  @Test func aPlaceThatTakesNoFileIsSaid() throws {
    let ended = try machine.run("settings", "set", "a", "1", "--file", "/proc/s.json")
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: open of /proc/.s.json.lock failed: "))
  }

  @Test func aMissingHomeIsSaid() throws {
    for command in Self.commands + [["watch"]] {
      let ended = try machine.run(
        [Machine.executable, "settings"] + command, input: "", environment: [])
      #expect(ended.status == 2)
      #expect(
        ended.errors.contains("Set one of XDG_CONFIG_HOME, HOME, CONFIGURATION_DIRECTORY to an"))
    }
    let nobody = try machine.run(
      [Machine.executable, "settings", "list"], input: "", environment: ["HOME=/nonexistent"])
    #expect(nobody.errors.contains("/nonexistent is a placeholder for users without"))
    let doctor = try machine.run([Machine.executable, "doctor"], input: "", environment: [])
    #expect(doctor.status == 2)
    #expect(doctor.output.contains("\n! Settings  There is no directory for"))
  }
}

import CLibrary
import FoundationEssentials
import TestSupport
import Testing

/// What is wrong with a file of settings is an error with exit status 2, and nothing is written.
struct UnreadableSettingsTests {
  private static let commands = ["get a", "set a 1", "list", "reset a", "move-aside", "watch"]
  private static let valueCommands = Array(commands.prefix(4))

  private let machine: Machine

  init() throws { machine = try Machine() }

  private func run(_ command: String, _ name: String) throws -> Ended {
    try machine.run("settings \(command) --file", machine.path(name))
  }

  private func expectError(
    _ reason: String, of name: String, for commands: [String] = Self.commands, advice: String = ""
  ) throws {
    for command in commands {
      let ended = try run(command, name)
      #expect(ended.status == 2, "\(command)")
      #expect(ended.output == "")
      #expect(ended.errors.hasPrefix("locket: "))
      #expect(ended.errors.contains(reason) && ended.errors.hasSuffix(advice), "\(ended.errors)")
    }
  }

  @Test func brokenFileIsAnErrorUntilItIsMovedAside() throws {
    let broken = "{\n  \"a\": 1,\n  \"b\" 2\n}\n"
    let file = try machine.file("s.json", broken)
    try expectError(
      "s.json cannot be read at line 3, column 7: expected a colon.", of: "s.json",
      for: Self.valueCommands, advice: "`locket settings move-aside --file \(file)`.\n")
    #expect(try machine.text("s.json") == broken)

    let aside = try run("move-aside", "s.json").success
    let path = aside.dropFirst("moved to ".count).dropLast()
    #expect(path.hasPrefix("\(file).unreadable-"))
    #expect(try Data(contentsOf: URL(filePath: String(path))) == Data(broken.utf8))
    #expect(try run("set a 1", "s.json").status == 0)
    #expect(try run("list", "s.json").output == "a\t1\n")
    #expect(
      try run("move-aside", "s.json").output
        == "The settings can be read. Nothing was changed.\n")
  }

  @Test func adviceNamesTheSameFile() throws {
    let script = "printf { > \"a b.json\"; \"$0\" settings get a --file \"a b.json\""
    let ended = try machine.shell(script)
    #expect(ended.errors.hasSuffix("`locket settings move-aside --file 'a b.json'`.\n"))
    try machine.set("a", to: "1")
    try Data("{".utf8).write(to: machine.settingsFile)
    let own = try machine.run("settings get a")
    #expect(own.errors.hasSuffix("`locket settings move-aside`.\n"))
  }

  @Test func fileOfAnotherFormatIsAnError() throws {
    _ = try machine.file("s.plist", "{ \"a\": 1 }")
    try expectError("the file seems to be JSON", of: "s.plist", for: Self.valueCommands)
    _ = try machine.file("s.json", "")
    try expectError("s.json is empty", of: "s.json", for: ["get a", "list"])
  }

  @Test(arguments: ["mkdir s.json", "mkfifo s.plist"])
  func directoryOrPipeIsAnError(making: String) throws {
    _ = try machine.shell(making).success
    try expectError("\(making.words[1]) is not a regular file.", of: making.words[1])
  }

  @Test func pathThatCannotBeFollowedIsAnError() throws {
    _ = try machine.shell("ln -s s.json s.json").success
    try expectError(
      "s.json failed: Too many levels of symbolic links (errno 40).", of: "s.json")
    _ = try machine.file("file", "")
    try expectError("Not a directory (errno 20).", of: "file/s.json", for: Self.valueCommands)
    let ended = try machine.run("settings set a 1 --file /proc/s.json")
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: open of /proc/.s.json.lock failed: "))
  }

  @Test(.enabled(if: geteuid() != 0, "nothing is forbidden to this user"))
  func forbiddenFileIsAnError() throws {
    let path = try machine.file("s.json", "{\"a\": 1}")
    #expect(unsafe chmod(path, 0) == 0)
    try expectError("Permission denied (errno 13).", of: "s.json")
  }

  @Test func missingHomeIsAnError() throws {
    for command in Self.commands {
      let ended = try machine.run(
        [machine.executable] + "settings \(command)".words, environment: [])
      #expect(ended.status == 2)
      #expect(
        ended.errors.contains("Set one of XDG_CONFIG_HOME, HOME, CONFIGURATION_DIRECTORY to an"))
    }
    let placeholder = try machine.run(
      [machine.executable, "settings", "list"], environment: ["HOME=/nonexistent"])
    #expect(placeholder.errors.contains("HOME is \"/nonexistent\""))
    let doctor = try machine.run([machine.executable, "doctor"], environment: [])
    #expect(doctor.status == 2)
    #expect(doctor.output.contains("\n! Settings  There is no directory for"))
  }
}

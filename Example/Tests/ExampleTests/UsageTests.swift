import FoundationEssentials
import Testing

struct UsageTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  @Test(arguments: [
    ["unknown"], ["secrets"], ["secrets", "unknown"], ["--unknown"], ["tour", "--unknown"],
    ["secrets", "get"], ["secrets", "get", "--service"], ["secrets", "get", "--account", "a"],
    ["secrets", "get", "--service", "a", "--server", "b"],
    ["secrets", "get", "--service", "a", "--service", "a"],
    ["secrets", "get", "--service", "a", "--port", "1"],
    ["secrets", "get", "--server", "a", "--port", "65536"],
    ["secrets", "get", "--server", "a", "--protocol", "unknown"],
    ["secrets", "get", "--service", "a", "--exact=yes"],
    ["secrets", "list", "--account", "a"], ["secrets", "list", "--state", "/tmp"],
    ["secrets", "list", "--vault", ""], ["secrets", "list", "--passphrase-file", "-"],
    ["secrets", "passphrase", "--new-passphrase-file", "-"],
    ["secrets", "passphrase", "--remove", "--new-passphrase-file", "/dev/null"],
    ["doctor", "--service", "a"],
  ])
  func wrongUsageGivesTwoAndSaysHowItIsRight(arguments: [String]) throws {
    let ended = try machine.run(arguments, input: "tajny")
    #expect(ended.status == .exited(2))
    #expect(ended.output == "")
    #expect(ended.errors.hasPrefix("Example: "))
    #expect(ended.errors.contains("\n\nUsage: Example "))
  }

  @Test(arguments: [
    [], ["tour"], ["secrets"], ["secrets", "list"], ["secrets", "get"], ["secrets", "set"],
    ["secrets", "delete"], ["secrets", "passphrase"], ["secrets", "verify"],
    ["secrets", "repair"], ["secrets", "accept-rollback"], ["doctor"],
  ])
  func helpIsOnStandardOutput(command: [String]) throws {
    let ended = try machine.run(command + ["--help"], input: "")
    #expect(ended.status == .exited(0))
    #expect(ended.output.hasPrefix("Usage: Example "))
    #expect(ended.errors == "")
    #expect(!ended.output.contains("tour-reader"))
  }

  @Test(arguments: [
    ["secrets", "set", "--service", "a", "hunter2"],
    ["secrets", "set", "--service", "a", "--secret=hunter2"],
    ["secrets", "set", "--service", "a", "--hunter2"],
    ["secrets", "passphrase", "hunter2"],
    ["secrets", "get", "--service", "a", "hunter2"],
    ["hunter2"],
  ])
  func aSecretAmongTheArgumentsIsRefusedAndNotRepeated(arguments: [String]) throws {
    let ended = try machine.run(arguments, input: "tajny")
    #expect(ended.status == .exited(2))
    #expect(!ended.errors.contains("hunter2"))
    #expect(try machine.run("secrets", "list").output == "")
  }

  @Test func whyASecretIsNoArgumentIsSaid() throws {
    for command in ["set", "passphrase"] {
      let ended = try machine.run("secrets", command, "hunter2")
      #expect(ended.errors.contains("where every user of the machine can read it"))
    }
  }

  @Test func anOutputThatTakesNothingGivesTwo() throws {
    try machine.store("tajny", "--service", "mail")
    let errors = machine.home.appending(path: "errors").path
    let process = try Child.spawn(
      [Machine.executable, "secrets", "get", "--service", "mail"],
      environment: machine.environment,
      files: [("/dev/null", 0), ("/dev/full", 1), (errors, 0o101)])
    #expect(try Child.wait(for: process) == .exited(2))
  }
}

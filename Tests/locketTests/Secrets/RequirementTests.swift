import TestSupport
import Testing

struct RequirementTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  @Test func aSecretWithAPasswordOfItsOwnOpensWithItAlone() throws {
    let password = try machine.file("password", "laputa\n")
    let set = try machine.run(
      [
        "secrets", "set", "--service", "safe", "--require", "password", "--item-password-file",
        password,
      ], input: "the key")
    #expect(set.status == 0, "\(set.errors)")
    let get = ["secrets", "get", "--service", "safe", "--item-password-file"]
    #expect(try machine.run(get + [password], input: "").output == "the key\n")
    let wrong = try machine.run(get + [machine.file("wrong", "lagado\n")], input: "")
    #expect(wrong.status == 2 && wrong.output == "")
    #expect(wrong.errors.hasPrefix("locket: The application password is wrong."))
    let without = try machine.run("secrets", "get", "--service", "safe")
    #expect(without.status == 2)
    #expect(without.errors.contains("--item-password-file"))
    // It is listed, and another secret takes its place only with the password.
    #expect(try machine.run("secrets", "list").output == "--service safe\t\n")
    let replaced = try machine.run(
      ["secrets", "set", "--service", "safe", "--item-password-file", password], input: "new")
    #expect(replaced.status == 0, "\(replaced.errors)")
    #expect(try machine.run(get + [password], input: "").output == "new\n")
  }

  @Test func thePasswordIsTypedTwiceWhenItIsNewAndOnceAfterwards() throws {
    let words = "printf tajny | \"$0\" secrets set --service safe --require password"
    let setting = try PseudoTerminal(["/bin/sh", "-c", words, Machine.executable], on: machine)
    try setting.answer("New password of this secret: ", "laputa")
    try setting.answer("Repeat it: ", "laputa")
    #expect(try setting.end() == 0)
    let getting = try PseudoTerminal("secrets", "get", "--service", "safe", on: machine)
    try getting.answer("Password of this secret: ", "laputa")
    #expect(try getting.end() == 0)
    #expect(getting.screen.hasSuffix("\r\ntajny\r\n"))
    #expect(!setting.screen.contains("laputa") && !getting.screen.contains("laputa"))
  }

  @Test func presenceCannotBeProvedWithoutATerminal() throws {
    let set = try machine.run(
      ["secrets", "set", "--service", "safe", "--require", "presence"], input: "the key")
    // Without a login service, it cannot be checked, and is refused.
    if set.status == 2 {
      #expect(set.errors.contains("This store does not support"))
      return
    }
    let get = try machine.run("secrets", "get", "--service", "safe")
    #expect(get.status == 2)
    #expect(get.output == "")
    #expect(get.errors.contains("There is no terminal to ask on"))
  }

  @Test func unknownRequirementsAreRefused() throws {
    let ended = try machine.run(
      ["secrets", "set", "--service", "safe", "--require", "magic"], input: "the key")
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: --require needs `password` or `presence`."))
  }
}

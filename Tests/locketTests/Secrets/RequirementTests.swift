import TestSupport
import Testing

final class RequirementTests: ToolTests {
  @Test func newItemPasswordIsTypedTwice() throws {
    let words = "printf tajny | \"$0\" secrets set --service safe --require password"
    let setting = try PseudoTerminal(["/bin/sh", "-c", words, machine.executable], on: machine)
    try setting.answer("New password of this secret: ", "laputa")
    try setting.answer("Repeat it: ", "laputa")
    #expect(try setting.end() == 0)
    let getting = try PseudoTerminal("secrets get --service safe", on: machine)
    try getting.answer("Password of this secret: ", "laputa")
    #expect(try getting.end() == 0)
    #expect(getting.screen.hasSuffix("\r\ntajny\r\n"))
    #expect(!setting.screen.contains("laputa") && !getting.screen.contains("laputa"))
  }

  /// Without a login service, which `doctor` reports, the presence of a person cannot be required.
  @Test func presenceNeedsALoginServiceAndATerminal() throws {
    let canProve = try machine.run("doctor").output.contains("which can prove a passcode")
    let set = try machine.run(
      "secrets set --service safe --account key --require presence", input: "true")
    if !canProve {
      #expect(set.status == 2)
      #expect(set.errors.contains("This store does not support"))
      #expect(!machine.exists(".local"))
      return
    }
    #expect(set.status == 0)
    for command in [
      "secrets get --service safe", "migrate adapters --service safe",
      "migrate adapters --service safe --dry-run",
    ] {
      let ended = try machine.run(command)
      #expect(ended.status == 2 && ended.output == "")
      #expect(ended.errors.contains("There is no terminal to ask on"))
    }
  }
}

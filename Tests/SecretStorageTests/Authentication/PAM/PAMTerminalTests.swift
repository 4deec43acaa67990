import CLibrary
import Testing

@testable import SecretStorage

/// The terminal that PAM modules see.
@Suite(
  .enabled(
    if: PAMDirectory.isPossible && PAMModule.isThere,
    "There is no libpam.so.0 of version 1.4 or newer, or no C compiler."))
struct PAMTerminalTests {
  /// In separate processes, because a process has one controlling terminal.
  @Test(arguments: [STDIN_FILENO, STDERR_FILENO])
  func modulesGetThePathOfTheTerminal(descriptor: Int32) async {
    await #expect(processExitsWith: .success) { [descriptor] in
      let path = try takeTerminal(as: descriptor)
      #expect(Terminal.path == path)
      let services = try PAMDirectory()
      let person = ScriptedConversation("tajny")
      let authenticator = try services.authenticator(
        "auth \(services.module("tty=\(path)", "hidden=Password:", "send", "expect=tajny"))",
        "account required pam_permit.so", with: person)
      #expect(await authenticator.outcome() == .success(.passcode))
    }
  }

  @Test func pathIsNilWithoutATerminal() async {
    await #expect(processExitsWith: .success) {
      setsid()
      #expect(Terminal.path == nil)
    }
  }
}

/// Makes a new terminal the controlling one of this process, on one descriptor only.
private func takeTerminal(as descriptor: Int32) throws -> String {
  for number in [STDIN_FILENO, STDOUT_FILENO] {
    let null = unsafe open("/dev/null", O_RDWR)
    dup2(null, number)
    close(null)
  }
  var ends: (master: Int32, slave: Int32) = (-1, -1)
  var name = [CChar](repeating: 0, count: 64)
  // The name is short: "/dev/pts/" and a number.
  guard unsafe openpty(&ends.master, &ends.slave, &name, nil, nil) == 0 else {
    throw NoTerminal()
  }
  setsid()
  // The first terminal that a session leader opens becomes its controlling one.
  let own = unsafe open(name, O_RDWR)
  dup2(own, descriptor)
  close(own)
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

private struct NoTerminal: Error {}

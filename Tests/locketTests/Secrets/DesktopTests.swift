import FoundationEssentials
import SecretService
import SecretStorage
import TestSupport
import Testing

/// The tool over a real gnome-keyring-daemon.
@Suite(.withDaemon) struct DesktopToolTests {
  private let machine: Machine
  private let bus: TestBus

  init() throws {
    machine = try Machine()
    bus = try TestBus()
  }

  private func run(
    _ words: String..., rest: [String] = [], input: String = ""
  ) throws -> Ended {
    let variables = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"].map {
      "\($0)=\(bus.environment[$0] ?? "")"
    }
    return try machine.run(
      [Machine.executable] + words + ["--store", "desktop"] + rest, input: input,
      environment: machine.environment + variables)
  }

  @Test func secretIsSetListedReadAndDeleted() throws {
    let place = ["--service", "mail", "--account", "peter"]
    let set = try run(
      "secrets", "set", "--service", "mail", "--account", "peter", input: "The Valley Wind")
    #expect(set.status == 0 && set.errors == "", "\(set)")
    let found = try bus.run("exec secret-tool lookup service mail username peter")
    #expect(String(decoding: found.output, as: UTF8.self) == "The Valley Wind")
    #expect(try run("secrets", "list").output == place.joined(separator: " ") + "\t\n")
    #expect(try run("secrets", "get", "--service", "mail").output == "The Valley Wind\n")
    let changed = try run(
      "secrets", "set", "--service", "mail", "--label", "L", input: "two\nlines")
    #expect(changed.status == 0, "\(changed)")
    let store = bus.store()
    let item = try #require(try store.items(matching: .all).first)
    #expect(item.attributes.label == "L" && item.identity.account == "peter")
    #expect(try store.secret(of: item.id)?.secret == Secret("two\nlines".utf8))
    #expect(
      try run("run", "--env", "X=mail", rest: ["--", "sh", "-c", "echo \"$X\""]).output
        == "two\nlines\n")
    #expect(try run("secrets", "delete", "--service", "mail").status == 0)
    #expect(try store.items(matching: .all).isEmpty)
    #expect(try run("secrets", "get", "--service", "mail").status == 1)
    #expect(!FileManager.default.fileExists(atPath: machine.vaultFile.path))
  }

  @Test func whatTheKeyringCannotDoIsRefusedInALine() throws {
    for (words, reason) in [
      (
        ["secrets", "verify"],
        "`secrets verify` works only with a vault, so that it has no --store."
      ),
      (["secrets", "export", "e"], "`secrets export` works only with a vault"),
      (["secrets", "list", "--vault", "v"], "--store desktop and --vault exclude each other."),
      (["doctor", "--etcd", "http://localhost:1"], "--store desktop and --etcd exclude"),
      (["settings", "list"], "`settings list` has no option `--store`."),
    ] {
      let ended = try machine.run(words + ["--store", "desktop"], input: "")
      #expect(ended.status == 2 && ended.errors.contains(reason), "\(ended)")
    }
    let other = try machine.run(["secrets", "list", "--store", "x"], input: "")
    #expect(other.errors.contains("--store needs `vault` or `desktop`."))
    let required = try run("secrets", "set", "--service", "a", "--require", "presence", input: "x")
    #expect(required.status == 2 && required.errors.contains("does not support access flags"))
  }

  @Test func doctorNamesTheDaemonItsKeyringsAndTheirLocks() throws {
    let doctor = try run("doctor")
    #expect(doctor.status == 0)
    for text in [
      "gnome-keyring-daemon, process ", " of user ", "Login, unlocked, for new items",
      "dh-ietf1024-sha256-aes128-cbc-pkcs7", "No problem was found.",
    ] {
      #expect(doctor.output.contains(text), "\(doctor)")
    }
    try bus.store().lock()
    #expect(try run("doctor").output.contains("Login, locked, for new items"))
    // Without a display, the daemon dismisses its prompt.
    let locked = try run("secrets", "list")
    #expect(locked.status == 2 && locked.errors.contains("prompt was dismissed"), "\(locked)")
    #expect(locked.errors.hasPrefix("The keyring is locked. The desktop asks"))
    bus.stopDaemon()
    let missing = try run("doctor")
    #expect(missing.status == 2)
    #expect(missing.output.contains("! Secret Service  No Secret Service runs"), "\(missing)")
  }
}

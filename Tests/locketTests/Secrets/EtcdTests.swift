import FoundationEssentials
import TestSupport
import Testing

/// The tool over a real member of etcd.
@Suite(.needsEtcd)
struct EtcdToolTests {
  private let machine: Machine
  private let place: [String]

  init() throws {
    machine = try Machine()
    place = ["--etcd", try EtcdProcess.shared.get().url, "--prefix", "/test/\(UUID())"]
  }

  private func run(_ words: String..., input: String = "") throws -> Ended {
    try machine.run(words + place, input: input)
  }

  @Test func settingsAreReadAndWritten() throws {
    #expect(try run("settings", "set", "volume", "0.8").status == 0)
    #expect(try run("settings", "get", "volume").output == "0.8\n")
    #expect(try run("settings", "list").output == "volume\t0.8\n")
  }

  @Test func vaultIsMadeWithAKeyAndDiagnosed() throws {
    let key = try machine.file("key", String(repeating: "The Valley Wind ", count: 4))
    let refused = try run("secrets", "set", "--service", "mail", input: "x")
    #expect(refused.status != 0 && refused.errors.contains("every machine can open"))
    let added = try run("secrets", "slots", "add", "key-file", "--new-key-file", key)
    try #require(added.status == 0, "\(added.errors)")
    #expect(try run("secrets", "set", "--service", "mail", input: "The Valley Wind").status == 0)
    #expect(try run("secrets", "get", "--service", "mail").output.contains("The Valley Wind"))
    let doctor = try run("doctor")
    #expect(doctor.status == 0, "\(doctor.output)\(doctor.errors)")
    for text in ["leader, etcd 3.", "revision ", "a watch reports changes"] {
      #expect(doctor.output.contains(text), "\(doctor.output)")
    }
  }

  @Test func prefixIsNeeded() throws {
    let ended = try machine.run(["settings", "list", "--etcd", "http://127.0.0.1:1"], input: "")
    #expect(ended.status != 0 && ended.errors.contains("--prefix"))
  }
}

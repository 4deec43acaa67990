import CLibrary
import FoundationEssentials
import SecretService
import SecretStorage
import TestSupport
import Testing

/// Processes that write while the daemon is stopped, locked and killed.
@Suite(.withDaemon) struct SecretServiceCampaignTests {
  @Test func acknowledgedWritesOfFourProcessesAreThereOnce() throws {
    let bus = try TestBus()
    // Items of another program, the second of which has the identity of one of ours. They must not
    // change.
    for service in ["mail", "service-0"] {
      _ = try bus.run(
        "printf 'foreign %s' \"$1\" | secret-tool store --label=F service \"$1\" username 0 of other",
        [service])
    }
    // A restarted daemon gives the objects other paths, and names a schema.
    let describe =
      "secret-tool search --all --unlock of other 2>&1 | grep -vE '^(\\[|schema)' | sort"
    let before = String(decoding: try bus.run(describe).output, as: UTF8.self)
    #expect(before.contains("secret = foreign mail\n") && before.contains("foreign service-0\n"))
    let processes = try (0..<4).map { number in
      try bus.start(
        "exec \"$1\" write service-\(number) \"$2\"",
        [try ChildProcess.path(ofExecutable: "SecretServiceProcess"), bus.directory("stop")],
        output: "journal-\(number)")
    }
    let journals = { () throws -> [[Substring]] in
      try (0..<4).map { number in
        let path = bus.directory("journal-\(number)")
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return String(decoding: try content(of: path), as: UTF8.self).split(separator: "\n")
      }
    }
    var round = 0
    var seen = 0
    while round < 4 || Campaign.isFull && seen < 1_000 {
      // Something happens after each few writes.
      try wait {
        try journals().reduce(0) { $0 + $1.count } >= seen + 6
          || processes.allSatisfy(\.hasEnded)
      }
      seen = try journals().reduce(0) { $0 + $1.count }
      round += 1
      switch round % 3 {
      case 0:
        bus.signalDaemon(SIGSTOP)
        usleep(300_000)
        bus.signalDaemon(SIGCONT)
      case 1:
        bus.stopDaemon()
        try bus.startDaemon()
      default:
        try bus.store().lock()
        usleep(50_000)
        bus.stopDaemon()
        try bus.startDaemon()
      }
    }
    try Data().write(to: URL(filePath: bus.directory("stop")))
    for process in processes { try process.wait() }

    let store = bus.store()
    let items = try store.items(matching: .all)
    let counts = try journals().map { $0.count - 1 }
    #expect(items.count == counts.reduce(0, +))
    for (number, lines) in try journals().enumerated() {
      let longest = lines.last.flatMap { Int($0.split(separator: " ").last ?? "") }
      // Twice the time limit of an access, for a busy machine.
      #expect(try #require(longest) < 4_000)
      for account in 0..<counts[number] {
        let identity = ItemIdentity.generic(service: "service-\(number)", account: "\(account)")
        let found = try store.items(matching: .exactly(identity))
        #expect(found.count == 1)
        guard let item = found.first else { continue }
        #expect(try store.secret(of: item.id)?.secret == Secret("secret \(account)".utf8))
      }
    }
    // Also without the store's own hiding of duplicates.
    let all = try bus.run("secret-tool search --all --unlock xdg:schema com.locket.Generic 2>&1")
    let labels = String(decoding: all.output, as: UTF8.self).split(separator: "\n")
      .count { $0.hasPrefix("label = ") }
    #expect(labels == items.count)
    let after = String(decoding: try bus.run(describe).output, as: UTF8.self)
    #expect(after == before)
  }

  @Test func processesThatAddOneIdentityAtOnceMakeOneItem() throws {
    let bus = try TestBus()
    let processes = try (0..<16).map { number in
      try bus.start(
        "exec \"$1\" add \(number) \"$2\"",
        [try ChildProcess.path(ofExecutable: "SecretServiceProcess"), bus.directory("start")],
        output: "added-\(number)")
    }
    let lines = { (number: Int) throws -> [Substring] in
      let path = bus.directory("added-\(number)")
      guard FileManager.default.fileExists(atPath: path) else { return [] }
      return String(decoding: try content(of: path), as: UTF8.self).split(separator: "\n")
    }
    try wait { try (0..<16).allSatisfy { try lines($0) == ["ready"] } }
    try Data().write(to: URL(filePath: bus.directory("start")))
    for process in processes { try process.wait() }
    let outcomes = try (0..<16).map { try String(lines($0).last ?? "") }
    #expect(outcomes.count { $0 == "added" } == 1, "\(outcomes)")
    #expect(outcomes.count { $0 == "duplicate" } == 15, "\(outcomes)")
    let found = try bus.run("secret-tool search --all --unlock service shared 2>/dev/null")
    let secrets = String(decoding: found.output, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("secret = ") }
    let winner = try #require(outcomes.firstIndex(of: "added"))
    #expect(secrets == ["secret = \(winner)"])
  }

  @Test(
    .enabled(if: ProcessMemory.isReadable, "A child's memory cannot be read"))
  func releasedSecretsAreNotInMemory() throws {
    let bus = try TestBus()
    let child = try bus.start(
      "exec \"$1\" hold", [try ChildProcess.path(ofExecutable: "SecretServiceProcess")],
      output: "journal")
    try wait {
      let path = bus.directory("journal")
      return try FileManager.default.fileExists(atPath: path)
        && String(decoding: content(of: path), as: UTF8.self).contains("released")
        || child.hasEnded
    }
    #expect(!child.hasEnded)
    let needles = [true, false].map { isText -> (name: String, bytes: [UInt8]) in
      let bytes = (0..<600).map { index -> UInt8 in
        let byte = UInt8(truncatingIfNeeded: index &* index &* 31 &+ index &* 7 &+ 5)
        return isText ? 0x61 + byte % 26 : byte | 0x80
      }
      return ("\(isText)", Array(bytes[300..<340]))
    }
    let base64 = Data(
      (0..<600).map { index -> UInt8 in
        UInt8(truncatingIfNeeded: index &* index &* 31 &+ index &* 7 &+ 5) | 0x80
      }
    ).base64EncodedString()
    let all = needles + [("base64", Array(Array(base64.utf8)[400..<440]))]
    #expect(try ProcessMemory(of: child.identifier).names(of: all) == [])
    // The search finds what is there.
    let own = all.map(\.bytes)
    #expect(try ProcessMemory(of: getpid()).names(of: all).count == 3)
    withExtendedLifetime(own) {}
  }
}

import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// The memory of a process with a locked vault and the real cipher, read by its parent.
@Suite(
  .enabled(
    if: ProcessMemory.isReadable,
    "A child's memory cannot be read: ptrace is forbidden, or a sanitizer made it huge"))
struct VaultMemoryTests {
  private static let classes: [Accessibility] = [
    .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly,
  ]

  private let vault = TestVault()
  private let cipher = OpenSSLCipher()
  /// By account; longer than a cache line or a page.
  private let canaries = [
    "short": [UInt8].text(1, count: 40), "long": [UInt8].text(2, count: 5000),
  ]
  private let passphrase = [UInt8].text(3, count: 32)
  private let keyFile = [UInt8].text(4, count: 60_000)

  private func makeVault() throws {
    let object = vault.open(cipher: cipher)
    try object.setPassphrase(Secret(passphrase), cost: .minimum)
    let path = try vault.path("key file")
    try FileSystem().replaceFile(at: path, with: keyFile)
    try object.addSlot(.keyFile(URL(filePath: path)), named: "key file")
    for (account, canary) in canaries {
      for accessibility in Self.classes {
        _ = try object.add(
          Secret(canary),
          identity: .generic(service: "canary", account: "\(account) \(accessibility)"),
          attributes: ItemAttributes(accessControl: AccessControl(accessibility)))
      }
    }
  }

  /// The number of times that the child has printed a line.
  private func count(_ line: String, in journal: String) throws -> Int {
    try String(decoding: TestVault.bytes(of: journal), as: UTF8.self).split(separator: "\n")
      .count { $0 == line }
  }

  /// Returns the byte patterns, from the current file, that must not be in memory.
  private func needles() throws -> [(name: String, bytes: [UInt8])] {
    let object = vault.open(cipher: cipher)
    try object.unlock(with: .passphrase(Secret(passphrase)))
    var needles: [(name: String, bytes: [UInt8])] = []
    func add(_ name: String, _ secret: Secret) {
      // Searching for halves also finds secrets that an algorithm has split.
      for half in [secret.bytes.prefix(16), secret.bytes.suffix(16)] {
        needles.append((name, Array(half)))
        // In the byte order of SHA-256's words.
        let words = stride(from: half.startIndex, to: half.endIndex, by: 4)
        needles.append((name, words.flatMap { half[$0..<($0 + 4)].reversed() }))
      }
    }
    add("passphrase", Secret(passphrase))
    add("key file", Secret(keyFile))
    add("device key", Secret(try TestVault.bytes(of: vault.statePath + "/device.key")))
    for (account, canary) in canaries { add("\(account) canary", Secret(canary)) }
    let (keys, items) = try object.read { contents throws(SecretStoreError) in
      (contents.keys, Array(contents.index.items))
    }
    let table = try #require(keys.table)
    let user = try #require(keys.ring.user)
    add("user key", user)
    for slot in table.slots {
      guard let cost = slot.kind.cost else { continue }
      let stretched = try cipher.stretch(Secret(passphrase), salt: slot.salt, cost: cost)
      add("stretched passphrase", stretched)
      add(
        "slot's key",
        try cipher.deriveKey(from: stretched, salt: slot.salt, purpose: "locket passphrase slot"))
    }
    for accessibility in Self.classes {
      let sealed = try #require(table.key(for: .secrets(accessibility)))
      add("class key of \(accessibility)", try #require(keys.ring[sealed.id, for: sealed.purpose]))
    }
    for copy in table.keys.flatMap(\.copies) where copy.wrapping == .user {
      add("wrapping key", try cipher.deriveKey(from: user, salt: copy.salt, purpose: "locket key"))
    }
    for item in items {
      let key = try keys.key(of: item.secret)
      add("record key", try item.secret.recordKey(from: key, cipher))
    }
    return needles
  }

  /// The patterns that must be gone once the vault is unlocked.
  private static let ways: Set<String> = [
    "passphrase", "stretched passphrase", "slot's key", "key file", "device key",
  ]

  @Test(arguments: ["passphrase", "key file"])
  func lockedProcessHasNoKeyOrSecretInMemory(_ key: String) throws {
    try makeVault()
    let journal = try vault.path("journal")
    try FileSystem().replaceFile(at: vault.path("passphrase"), with: passphrase)
    let child = try ChildProcess(
      "beLocked", on: vault, [key, vault.path(key), vault.path("permission")], journal: journal)
    // A signal of the app's choice, and with new keys the terminal's stop.
    for (round, signal) in zip(1..., [SIGUSR1, SIGTSTP]) {
      try wait(for: child) { try count("unlocked", in: journal) == round }
      let needles = try needles()
      let before = try ProcessMemory(of: child.identifier).names(of: needles)
      #expect(before.isSuperset(of: ["user key"] + Self.classes.map { "class key of \($0)" }))
      #expect(before.isDisjoint(with: Self.ways))
      child.signal(signal)
      if signal == SIGTSTP {
        // The signal stops the process after the vault was locked.
        try wait(for: child) { try child.isStopped }
        let after = try ProcessMemory(of: child.identifier).names(of: needles)
        #expect(after == [])
        child.signal(SIGCONT)
      }
      try wait(for: child) { try count("locked", in: journal) == round }
      let after = try ProcessMemory(of: child.identifier).names(of: needles)
      #expect(after == [])
      try FileSystem().replaceFile(at: vault.path("permission.\(round)"), with: [UInt8]())
    }
    for (account, canary) in canaries {
      let digest = try cipher.deriveKey(from: Secret(canary), salt: [], purpose: "digest")
      let digits = digest.bytes.map { String($0, radix: 16) }.joined()
      for accessibility in Self.classes {
        #expect(try count("\(account) \(accessibility)\t\(digits)", in: journal) >= 2)
      }
    }
  }
}

extension VaultMemoryTests {
  /// A child forked without `exec` has its parent's memory, but not the keys of the vault.
  @Test(.forks) func forkedChildHasNoKeyInMemory() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let test = VaultMemoryTests()
        try test.makeVault()
        let object = test.vault.open(cipher: test.cipher)
        try object.unlock(with: .passphrase(Secret(test.passphrase)))
        for item in try object.items(matching: .all) { _ = try object.secret(of: item.id) }
        let child = try ForkedChild { while true { pause() } }
        defer { child.kill() }
        // The patterns come from the parent only.
        let keys = ["user key"] + Self.classes.map { "class key of \($0)" }
        let needles = try test.needles().filter { keys.contains($0.name) }
        #expect(needles.count > keys.count)
        #expect(try ProcessMemory(of: child.identifier).names(of: needles) == [])
      }
    }
  }
}

extension [UInt8] {
  fileprivate static func text(_ number: Int, count: Int) -> [UInt8] {
    var generator = Campaign.generator(number)
    return (0..<count).map { _ in
      .random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &generator)
    }
  }
}

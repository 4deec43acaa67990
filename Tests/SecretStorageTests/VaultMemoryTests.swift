import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// What is in the memory of a process whose vault is locked, as its parent reads it.
@Suite(
  .enabled(
    if: ProcessMemory.isReadable,
    "A child's memory cannot be read: ptrace is forbidden, or a sanitizer made it huge"))
struct VaultMemoryTests {
  private static let classes: [Accessibility] = [
    .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly,
  ]

  private let vault = TestVault()
  /// By account; longer than a line of the processor's cache, and than a page.
  private let canaries = [
    "short": [UInt8].text(count: 40), "long": [UInt8].text(count: 5000),
  ]
  private let passphrase = [UInt8].text(count: 32)

  private func makeVault() throws {
    let object = vault.open()
    try object.setPassphrase(Secret(passphrase), cost: .cheap)
    for (account, canary) in canaries {
      for accessibility in Self.classes {
        _ = try object.add(
          Secret(canary),
          identity: .generic(service: "canary", account: "\(account) \(accessibility)"),
          attributes: ItemAttributes(accessControl: AccessControl(accessibility)))
      }
    }
  }

  private func startChild(_ journal: String) throws -> ChildProcess {
    let path = try vault.path("passphrase")
    try FileSystem().replaceFile(at: path, with: passphrase)
    return try ChildProcess(
      "beLocked", on: vault, [path, vault.path("permission")], journal: journal)
  }

  /// How often the child has said something by now.
  private func count(_ line: String, in journal: String) throws -> Int {
    try String(decoding: TestVault.bytes(of: journal), as: UTF8.self).split(separator: "\n")
      .count { $0 == line }
  }

  /// What must not be in memory, as it is in the file now.
  private func needles() throws -> [(name: String, bytes: [UInt8])] {
    let cipher = OpenSSLCipher()
    let object = vault.open()
    try object.unlock(with: .passphrase(Secret(passphrase)))
    var needles: [(name: String, bytes: [UInt8])] = []
    func add(_ name: String, _ secret: Secret) {
      // Half of it is found wherever all of it is, and where an algorithm has taken it apart.
      for half in [secret.bytes.prefix(16), secret.bytes.suffix(16)] {
        needles.append((name, Array(half)))
        // As SHA-256 takes its words.
        let words = stride(from: half.startIndex, to: half.endIndex, by: 4)
        needles.append((name, words.flatMap { half[$0..<($0 + 4)].reversed() }))
      }
    }
    add("passphrase", Secret(passphrase))
    for (account, canary) in canaries { add("\(account) canary", Secret(canary)) }
    let (keys, items) = try object.read { contents throws(SecretStoreError) in
      (contents.keys, Array(contents.index.items))
    }
    let table = try #require(keys.table)
    let user = try #require(keys.ring.user)
    add("user key", user)
    for case .passphrase(let cost, let key) in table.slots.map(\.content) {
      let stretched = try cipher.stretch(Secret(passphrase), salt: key.salt, cost: cost)
      add("stretched passphrase", stretched)
      add(
        "slot's key",
        try cipher.deriveKey(from: stretched, salt: key.salt, purpose: "locket passphrase slot"))
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

  @Test func lockedProcessHasNoKeyAndNoSecret() throws {
    try makeVault()
    let journal = try vault.path("journal")
    let child = try startChild(journal)
    try wait { try FileSystem().status(of: journal) != nil }
    // A signal of the app's choice, the stop of the terminal, and once more, with keys anew.
    for (round, signal) in zip(1..., [SIGUSR1, SIGTSTP, SIGUSR1]) {
      try wait { try count("unlocked", in: journal) == round }
      let needles = try needles()
      let before = try ProcessMemory(of: child.identifier).names(of: needles)
      #expect(before.isSuperset(of: ["user key"] + Self.classes.map { "class key of \($0)" }))
      // Once it is unlocked, what unlocked it is gone.
      #expect(before.isDisjoint(with: ["passphrase", "stretched passphrase", "slot's key"]))
      child.signal(signal)
      if signal == SIGTSTP {
        // The signal itself stops it, and before that the vault was locked.
        try wait { try child.isStopped }
        let after = try ProcessMemory(of: child.identifier).names(of: needles)
        #expect(after == [])
        child.signal(SIGCONT)
      }
      try wait { try count("locked", in: journal) == round }
      let after = try ProcessMemory(of: child.identifier).names(of: needles)
      #expect(after == [])
      try FileSystem().replaceFile(at: vault.path("permission.\(round)"), with: [UInt8]())
    }
    for (account, canary) in canaries {
      let digest = try OpenSSLCipher().deriveKey(from: Secret(canary), salt: [], purpose: "digest")
      let digits = digest.bytes.map { String($0, radix: 16) }.joined()
      for accessibility in Self.classes {
        #expect(try count("\(account) \(accessibility)\t\(digits)", in: journal) >= 3)
      }
    }
  }
}

extension Secret {
  fileprivate var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

extension [UInt8] {
  /// Random letters.
  fileprivate static func text(count: Int) -> [UInt8] {
    (0..<count).map { _ in .random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }
  }
}

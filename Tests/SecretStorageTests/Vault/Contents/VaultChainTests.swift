import TestSupport
import Testing

@testable import SecretStorage

/// Records moved by a forger that can compute digests but has no key.
struct VaultChainTests {
  private static let truth = ["a": "a twice", "b": "b", "d": "d"]

  private let vault = TestVault()
  private let frames: [ArraySlice<UInt8>]
  private let state: [String: [UInt8]]

  init() throws {
    let object = vault.open()
    for account in ["a", "b", "c"] { try object.add(account, account: account) }
    try object.change("a", to: "a twice")
    try object.remove("c")
    try object.add("d", account: "d")
    frames = try vault.frames
    state = try vault.rememberedState()
    try #require(frames.count == 8)
  }

  /// Expects an error or the newest value of every item in a file, and a report of its damage.
  private func expectDamage(
    _ isRemembered: Bool, in frames: [ArraySlice<UInt8>], _ what: Comment
  ) throws {
    try vault.restore(TestVault.file(of: frames), isRemembered ? state : [:])
    let object = vault.open()
    for account in ["a", "b", "c", "d"] {
      if case .success(let text) = Result(catching: { try object.text(account) }) {
        #expect(text == Self.truth[account], what)
      }
    }
    if case .success(let items) = Result(catching: { try object.items(matching: .all) }) {
      #expect(items.count == Self.truth.count, what)
    }
    // The remembered state may show the damage first.
    do { #expect(try !object.verify().isSound, what) } catch SecretStoreError.rolledBack {}
  }

  @Test(arguments: [true, false]) func movedRecordsAreDamage(isRemembered: Bool) throws {
    for first in frames.indices {
      // Only the remembered state shows that the last record is missing.
      if isRemembered || first < frames.count - 1 {
        var dropped = frames
        dropped.remove(at: first)
        try expectDamage(isRemembered, in: dropped, "dropped \(first)")
      }
      for second in 0...frames.count where second != first {
        var repeated = frames
        repeated.insert(frames[first], at: second)
        try expectDamage(isRemembered, in: repeated, "repeated \(first) before \(second)")
        if second < first {
          var swapped = frames
          swapped.swapAt(first, second)
          try expectDamage(isRemembered, in: swapped, "swapped \(first) and \(second)")
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func changedRecordsWithRightDigestsAreDamage(isRemembered: Bool) throws {
    let step = Campaign.size(sample: 53, full: 1)
    var generator = Campaign.generator(1)
    for (number, frame) in zip(0..., frames) {
      let payload = Array(frame.dropFirst(Frame.overhead))
      let start = Int.random(in: 0..<step, using: &generator)
      for offset in stride(from: start, to: payload.count, by: step) {
        var changed = payload
        changed[offset] ^= 0x41
        var forged = frames
        forged[number] = try TestVault.frame(of: changed)
        try expectDamage(isRemembered, in: forged, "changed byte \(offset) of record \(number)")
      }
    }
  }

  @Test(arguments: [true, false]) func recordsOfAnotherVaultAreDamage(isRemembered: Bool) throws {
    // Both vaults have the same device key.
    let other = TestVault()
    let object = other.open(state: vault.statePath)
    for account in "abcdef" { try object.add("of another vault", account: "\(account)") }
    let others = TestVault.frames(of: try other.bytes)
    for place in frames.indices {
      for count in [0, 1] {
        var forged = frames
        forged.replaceSubrange(place..<(place + count), with: [others[place]])
        try expectDamage(isRemembered, in: forged, "\(count) exchanged at \(place)")
      }
    }
  }

  @Test func repeatedRecordDoesNotReplaceALaterOne() throws {
    try vault.replace(by: TestVault.file(of: frames + [frames[2]]))
    let object = vault.open()
    let damage = try object.verify().damage
    #expect(damage.contains { $0.contains("sequence number 3 follows 8") }, "\(damage)")
    _ = try object.repair()
    #expect(try object.texts() == Self.truth)
  }
}

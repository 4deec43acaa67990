import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Records moved by a forger that can compute digests but has no key.
struct VaultChainTests {
  enum Memory: CaseIterable { case remembered, forgotten }

  private static let truth = ["a": "a twice", "b": "b", "d": "d"]

  /// Every value that an account had.
  private static let past = ["a": ["a", "a twice"], "b": ["b"], "c": ["c"], "d": ["d"]]

  private func make() throws -> TestVault {
    let vault = TestVault()
    let object = vault.open()
    try object.add("a", account: "a")
    try object.add("b", account: "b")
    try object.add("c", account: "c")
    try object.change("a", to: "a twice")
    try object.remove("c")
    try object.add("d", account: "d")
    return vault
  }

  /// Expects a changed vault to give only the newest values, and to report an error.
  private func expectNoticed(_ vault: TestVault, _ what: String) {
    let truth = Self.truth
    let object = vault.open()
    for (account, values) in Self.past {
      do throws(SecretStoreError) {
        let found = try object.text(account)
        #expect(found == truth[account], "\(what): \(account) of \(values)")
      } catch {
        // An error is correct as well.
      }
    }
    do throws(SecretStoreError) {
      #expect(try object.items(matching: .all).count == truth.count, "\(what)")
    } catch {
      // An error is correct as well.
    }
    do {
      #expect(try !object.verify().isSound, "\(what)")
    } catch {
      guard case SecretStoreError.rolledBack = error else {
        Issue.record("\(what): verify() throws \(error)")
        return
      }
    }
  }

  @Test(arguments: Memory.allCases)
  func movedDroppedAndRepeatedRecordsAreNoticed(_ memory: Memory) throws {
    let vault = try make()
    if memory == .forgotten { try vault.forget() }
    let frames = TestVault.frames(of: try vault.bytes)
    #expect(frames.count == 8)
    for first in frames.indices {
      // Dropping a complete last record is detectable by remembered state only.
      if memory == .remembered || first < frames.count - 1 {
        var dropped = frames
        dropped.remove(at: first)
        try vault.replace(by: TestVault.file(of: dropped))
        expectNoticed(vault, "dropped \(first)")
      }
      for second in frames.indices where second != first {
        if first < second {
          var swapped = frames
          swapped.swapAt(first, second)
          try vault.replace(by: TestVault.file(of: swapped))
          expectNoticed(vault, "swapped \(first) and \(second)")
        }
        var replayed = frames
        replayed.insert(frames[first], at: second)
        try vault.replace(by: TestVault.file(of: replayed))
        expectNoticed(vault, "repeated \(first) before \(second)")
      }
      try vault.replace(by: TestVault.file(of: frames + [frames[first]]))
      expectNoticed(vault, "repeated \(first) at the end")
    }
  }

  @Test(arguments: Memory.allCases)
  func changedRecordsWithRightDigestsAreNoticed(_ memory: Memory) throws {
    let vault = try make()
    if memory == .forgotten { try vault.forget() }
    let frames = TestVault.frames(of: try vault.bytes)
    let step = Campaign.size(sample: 17, full: 1)
    for (number, frame) in zip(0..., frames) {
      let payload = Array(frame.dropFirst(Frame.overhead))
      for offset in stride(from: Int.random(in: 0..<step), to: payload.count, by: step) {
        var changed = payload
        changed[offset] ^= 0x41
        var forged = frames
        forged[number] = try TestVault.frame(of: changed)
        try vault.replace(by: TestVault.file(of: forged))
        expectNoticed(vault, "changed byte \(offset) of record \(number)")
      }
    }
  }

  @Test(arguments: Memory.allCases)
  func recordsOfAnotherVaultAreNoticed(_ memory: Memory) throws {
    let vault = try make()
    // Both vaults have the same device key.
    let other = TestVault()
    let otherObject = other.open(state: vault.statePath)
    for account in ["a", "b", "c", "d", "e", "f"] {
      try otherObject.add("of another vault", account: account)
    }
    if memory == .forgotten { try vault.forget() }
    let frames = TestVault.frames(of: try vault.bytes)
    let others = TestVault.frames(of: try other.bytes)
    for place in frames.indices {
      var exchanged = frames
      exchanged[place] = others[place]
      try vault.replace(by: TestVault.file(of: exchanged))
      expectNoticed(vault, "exchanged \(place)")
      var inserted = frames
      inserted.insert(others[place], at: place)
      try vault.replace(by: TestVault.file(of: inserted))
      expectNoticed(vault, "inserted \(place)")
    }
  }

  @Test func repairOfForgedRecordsGivesASoundVault() throws {
    let vault = try make()
    try vault.forget()
    let frames = TestVault.frames(of: try vault.bytes)
    for (number, frame) in zip(0..., frames).dropFirst(2) {
      for offset in [50, frame.count - Frame.overhead - 1] {
        var payload = Array(frame.dropFirst(Frame.overhead))
        payload[offset] ^= 1
        var forged = frames
        forged[number] = try TestVault.frame(of: payload)
        try vault.replace(by: TestVault.file(of: forged))
        try vault.forget()
        let object = vault.open()
        #expect(try !object.repair().isEmpty)
        #expect(try object.verify().isSound, "record \(number), byte \(offset)")
        for (account, text) in try object.texts() {
          #expect(Self.past[account]?.contains(text) == true)
        }
      }
    }
  }
}

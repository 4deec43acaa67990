import TestSupport
import Testing

@testable import SecretStorage

/// Damage to every byte of a vault, one at a time.
struct VaultFlipTests {
  @Test(arguments: VaultHistory.Form.allCases, [true, false])
  func damagedByteGivesNoWrongAnswer(_ form: VaultHistory.Form, isRemembered: Bool) throws {
    let history = try VaultHistory(form)
    let copy = try history.copy()
    if !isRemembered { try copy.forget() }
    // The step is coprime to most lengths in the format.
    let step = Campaign.size(sample: 157, full: 1)
    var generator = Campaign.generator(2)
    let start = Int.random(in: 0..<step, using: &generator)
    // At most one record is lost, which in a compacted vault is one of two blocks.
    let lost = form == .appended ? 1 : 5
    // The digest of the file's header is always among the places.
    let places = [FileHeader.size - 1] + stride(from: start, to: history.bytes.count, by: step)
    for (number, place) in places.enumerated() {
      let changes: [UInt8] = Campaign.isFull ? [0xFF, 0x01] : number % 2 == 0 ? [0xFF] : [0x01]
      for change in changes {
        let flip: Comment = "byte \(place) of \(history.bytes.count) ^ \(change)"
        try TestVault.change(copy.path, at: place, to: history.bytes[place] ^ change)
        #expect(history.mistakes(of: copy.open(), lost: lost) == [], flip)
        if Campaign.isFull || number % 3 == 0 {
          #expect(try history.mistakes(ofRepairing: copy) == [], flip)
          try copy.restore(history.bytes, isRemembered ? history.state : [:])
        }
        try TestVault.change(copy.path, at: place, to: history.bytes[place])
      }
    }
    #expect(try copy.open().verify().isSound)
  }
}

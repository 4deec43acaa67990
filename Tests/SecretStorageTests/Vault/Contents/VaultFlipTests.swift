import CLibrary
import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Damage to every byte of a vault, one at a time.
struct VaultFlipTests {
  @Test(arguments: VaultHistory.Form.allCases, [true, false])
  func noDamagedByteGivesAWrongAnswer(_ form: VaultHistory.Form, _ isRemembered: Bool) throws {
    let history = try VaultHistory(form)
    // The step is coprime to most lengths in the format, and the start is random.
    let step = Campaign.size(sample: 53, full: 1)
    let places = Array(stride(from: Int.random(in: 0..<step), to: history.bytes.count, by: step))
    // At most one record is lost, which in a compacted vault is one of two blocks.
    let lost = form == .appended ? 1 : 5
    let failures = Lock([String]())
    DispatchQueue.concurrentPerform(iterations: 2) { half in
      do {
        let copy = try history.copy()
        if !isRemembered { try copy.forget() }
        for place in places where place % 2 == half {
          for change in [UInt8(0xFF), 0x01] {
            try TestVault.change(copy.path, at: place, to: history.bytes[place] ^ change)
            var mistakes = history.mistakes(of: copy.open(), lost: lost)
            if change == 0x01, Campaign.isFull || place % 3 == 0 {
              mistakes += try history.mistakes(ofRepairing: copy)
              try copy.replace(by: history.bytes)
              try copy.restoreState(isRemembered ? history.state : [:])
            }
            try TestVault.change(copy.path, at: place, to: history.bytes[place])
            let flip = "byte \(place) of \(history.bytes.count) ^ \(change)"
            let found = mistakes.map { "\(flip): \($0)" }
            failures.withLock { $0 += found }
          }
        }
        #expect(try copy.open().verify().isSound)
      } catch {
        Issue.record(error)
      }
    }
    let all = failures.withLock { $0 }
    #expect(all.isEmpty, "\(all.count) mistakes, such as\n\(all.prefix(8).joined(separator: "\n"))")
  }
}

extension TestVault {
  /// Changes one byte of a file in place.
  static func change(_ path: String, at offset: Int, to byte: UInt8) throws {
    try FileSystem().open(path, O_WRONLY).write([byte], at: offset)
  }
}

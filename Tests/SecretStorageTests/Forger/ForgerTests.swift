import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Files of a forger that knows the format and computes every digest, but has no key of the vault.
///
/// Opening such a file must cause no trap, no hang, no work that grows faster than the file, no
/// value that the vault did not hold, and no accepted passphrase of the forger's.
///
/// `LOCKET_FORGERY` may be a seed, to test that forgery only, or `all`, to report known weaknesses
/// as well.
struct ForgerTests {
  static let chosen = ProcessInfo.processInfo.environment["LOCKET_FORGERY"]
  /// The number of concurrent children.
  private static let lanes = 2

  @Test func soundFilesAreReadAndWrittenByThePage() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      ForgeryBatch.keepFiles(in: path)
      for form in Corpus.Form.allCases {
        let corpus = try Corpus(form)
        for bytes in [corpus.bytes, corpus.older, corpus.branch, corpus.other] {
          var file = ForgedFile(bytes)
          #expect(file.encoded == bytes)
          file.makeRight(.all)
          #expect(file.encoded == bytes)
        }
        let judge = try ForgeryJudge(corpus)
        for isRemembered in [true, false] {
          let mistakes = try judge.mistakes(
            of: Forgery("sound", of: corpus, isRemembered: isRemembered, corpus.file))
          #expect(mistakes == [], "\(form), \(isRemembered)")
        }
      }
    }
  }

  @Test(arguments: 0..<lanes)
  func forgedFilesAreRefusedOrHarmless(_ lane: Int) async throws {
    if let seed = Self.chosen.flatMap({ Int($0) }) {
      if lane == 0 { try await expectHarmless(seed..<(seed + 1)) }
      return
    }
    let count = Campaign.size(sample: 200, full: 1_000_000) / Self.lanes
    try await expectHarmless((lane * count)..<((lane + 1) * count))
  }

  /// Runs one child after another, each from the forgery at which the previous one ended.
  private func expectHarmless(_ numbers: Range<Int>) async throws {
    var next = numbers.lowerBound
    while next < numbers.upperBound {
      let directory = try TemporaryDirectory(inMemory: true)
      let last = min(numbers.upperBound, next + 10_000)
      await #expect(processExitsWith: .success) {
        [
          first = next as Int, last = last as Int, directory = directory.path as String
        ] in
        try ForgeryBatch.run(first..<last, in: directory)
      }
      let outcome = try ForgeryBatch.outcome(in: directory.path)
      for mistake in outcome.mistakes { Issue.record("\(mistake)") }
      next = last
      if !outcome.isComplete {
        let stopped = try #require(outcome.last)
        Issue.record("\(stopped.name) ends the process")
        next = stopped.number + 1
      }
    }
  }
}

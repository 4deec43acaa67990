import CLibrary
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
/// `LOCKET_FORGERY` may be a seed, to test that forgery only.
struct ForgerTests {
  private static let chosen = ProcessInfo.processInfo.environment["LOCKET_FORGERY"]
    .flatMap { UInt64($0) }

  /// Redirects every temporary file of this process to a directory, and returns a judge by form.
  private static func judges(in directory: String) throws -> [Corpus.Form: ForgeryJudge] {
    // `setenv` copies the path, and no other thread uses the environment yet.
    unsafe setenv("TMPDIR", directory, 1)
    return try Dictionary(
      uniqueKeysWithValues: Corpus.Form.allCases.map { ($0, try ForgeryJudge(Corpus($0))) })
  }

  @Test func parserByThePageReproducesSoundFiles() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      recordingErrors {
        for judge in try Self.judges(in: path).values {
          let corpus = judge.corpus
          for bytes in [corpus.bytes, corpus.older, corpus.branch, corpus.other] {
            var file = ForgedFile(bytes)
            #expect(file.encoded == bytes)
            file.makeRight(.all)
            #expect(file.encoded == bytes)
          }
          for isRemembered in [true, false] {
            let sound = Forgery("sound", of: corpus, isRemembered: isRemembered, corpus.file)
            #expect(try judge.mistakes(of: sound) == [], "\(sound.name)")
          }
        }
      }
    }
    withExtendedLifetime(directory) {}
  }

  @Test func forgedFilesAreRefusedOrHarmless() async throws {
    let first = Self.chosen ?? Campaign.seed
    let count = Self.chosen == nil ? Campaign.size(sample: 150, full: 1_000_000) : 1
    for start in stride(from: 0, to: count, by: 10_000) {
      let directory = try TemporaryDirectory(inMemory: true)
      let seeds = (start..<min(count, start + 10_000)).map { first + UInt64($0) }
      let result = await #expect(processExitsWith: .success) {
        [seeds = seeds as [UInt64], path = directory.path as String] in
        recordingErrors {
          let judges = try Self.judges(in: path)
          for seed in seeds {
            let forgery = try Forgery(seed: seed, of: judges.mapValues(\.corpus))
            try FileSystem().replaceFile(at: "\(path)/last", with: Array(forgery.name.utf8))
            for mistake in try judges[forgery.form]?.mistakes(of: forgery) ?? [] {
              Issue.record("\(forgery.name): \(mistake)")
            }
          }
        }
      }
      // A trap or a hang ends the process.
      let last = String(decoding: try content(of: directory("last")), as: UTF8.self)
      if result == nil { Issue.record("The last forgery is \(last).") }
    }
  }
}

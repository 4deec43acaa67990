import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A file in the working tree of a Git repository.
struct CheckedOutFileTests {
  private static func repository(_ format: KeyValueFormat) throws -> TestFile {
    let file = try TestFile(format)
    try file.encoded(["number": 1]).write(to: URL(filePath: file.path))
    try git("init -q -b first", in: file)
    try git("add \"$FILE\" && git commit -q -m first", in: file)
    try git("checkout -q -b second", in: file)
    try file.encoded(["number": 2, "other": 2]).write(to: URL(filePath: file.path))
    try git("commit -q -a -m second", in: file)
    try git("checkout -q -b without && git rm -q \"$FILE\" && git commit -q -m without", in: file)
    try git("checkout -q first", in: file)
    return file
  }

  private static func git(_ command: String, in file: TestFile) throws {
    try Shell.run(
      """
      export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 FILE='\(file.path.lastComponent)'
      export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
      git \(command)
      """, in: file.directory)
  }

  @Test(arguments: KeyValueFormat.allCases)
  func checkoutOfAnotherCommitIsHeard(_ format: KeyValueFormat) throws {
    let file = try Self.repository(format)
    let store = file.openPatiently()
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let heard = Heard<Int>()
    let observation = number.observe { heard.hear($1) }
    let rounds = Campaign.size(sample: 2, full: 30)
    for _ in 0..<rounds {
      try Self.git("checkout -q second", in: file)
      heard.wait(for: 2)
      try Self.git("checkout -q first", in: file)
      heard.wait(for: 1)
    }
    #expect(heard.all == (0..<rounds).flatMap { _ in [2, 1] })
    observation.cancel()
  }

  @Test(arguments: KeyValueFormat.allCases)
  func branchWithoutTheFileMeansTheDefaultValue(_ format: KeyValueFormat) throws {
    let file = try Self.repository(format)
    let number = StoredValue(wrappedValue: 0, "number", in: file.open())
    let heard = Heard<Int>()
    let observation = number.observe { heard.hear($1) }
    try Self.git("checkout -q without", in: file)
    heard.wait(for: 0)
    try Self.git("checkout -q first", in: file)
    heard.wait(for: 1)
    #expect(heard.all == [0, 1])
    observation.cancel()
  }

  @Test(arguments: KeyValueFormat.allCases)
  func unsavedChangesAreMergedIntoWhatWasCheckedOut(_ format: KeyValueFormat) throws {
    let file = try Self.repository(format)
    let store = file.openPatiently(.coalesced(within: .seconds(100_000)))
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let mine = StoredValue(wrappedValue: 0, "mine", in: store)
    let heard = Heard<Int>()
    let observation = number.observe { heard.hear($1) }
    mine.wrappedValue = 7
    try Self.git("checkout -q second", in: file)
    heard.wait(for: 2)
    try store.synchronize()
    #expect(heard.all == [2])
    let other = file.open()
    #expect(try other.keys() == ["mine", "number", "other"])
    #expect(try other.value(of: "mine") == 7)
    #expect(try other.value(of: "other") == 2)
    observation.cancel()
  }
}

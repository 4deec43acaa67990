import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A file in the working tree of a Git repository.
struct CheckedOutFileTests {
  private let file: TestFile

  init() throws {
    file = try TestFile(values: ["number": 1])
    try git("init -q -b first")
    try git("add \"$FILE\" && git commit -q -m first")
    try git("checkout -q -b second")
    try file.encoded(["number": 2, "other": 2]).write(to: URL(filePath: file.path))
    try git("commit -q -a -m second")
    try git("checkout -q -b without && git rm -q \"$FILE\" && git commit -q -m without")
    try git("checkout -q first")
  }

  private func git(_ command: String) throws {
    try Shell.run(
      """
      export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 FILE='\(file.path.lastComponent)'
      export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
      git \(command)
      """, in: file.directory)
  }

  @Test func checkoutNotifiesObserversOnce() throws {
    let heard = HeardValues(of: file.number(in: file.openPatiently()))
    let rounds = Campaign.size(sample: 2, full: 30)
    for _ in 0..<rounds {
      try git("checkout -q second")
      heard.wait(for: 2)
      try git("checkout -q first")
      heard.wait(for: 1)
    }
    #expect(heard.all == (0..<rounds).flatMap { _ in [2, 1] })
  }

  @Test func branchWithoutTheFileMeansTheDefaultValue() throws {
    let heard = HeardValues(of: file.number())
    try git("checkout -q without")
    heard.wait(for: 0)
    try git("checkout -q first")
    heard.wait(for: 1)
    #expect(heard.all == [0, 1])
  }
}

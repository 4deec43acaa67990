import CLibrary
import TestSupport
import Testing

// Processes that work on a vault and write a journal.
extension ChildProcess {
  /// Runs the executable `VaultProcess` and appends its standard output to a file.
  convenience init(
    _ mode: String, on vault: TestVault, _ parameters: [String], journal: String
  ) throws {
    try self.init(
      executable: "VaultProcess", [mode, vault.path, vault.statePath] + parameters, output: journal)
  }

  func wait(for lines: Int, in journal: String) throws {
    try TestSupport.wait(for: self) {
      try content(of: journal).count { $0 == UInt8(ascii: "\n") } >= lines
    }
  }

  func kill() {
    stop()
    end()
  }

  /// Kills the process during the work that follows a line of its journal.
  func kill(after line: Int, of journal: String) throws {
    try wait(for: line, in: journal)
    stop()
    #expect(end() == SIGKILL)
  }

  /// The lines after which processes are killed: the given ones, or many in a campaign.
  static func lines(_ sample: [Int], campaign count: Int, _ number: Int) -> [Int] {
    var generator = Campaign.generator(number)
    let lines = 1...(4 * (sample.max() ?? 1))
    return Campaign.isFull
      ? (0..<count).map { _ in Int.random(in: lines, using: &generator) } : sample
  }
}

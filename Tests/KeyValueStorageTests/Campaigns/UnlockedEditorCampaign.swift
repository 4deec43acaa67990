import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A program that edits a file without the lock, while another process writes continuously.
struct UnlockedEditorCampaign {
  @Test(arguments: EditingWay.allCases)
  func unlockedEditsAreKept(_ way: EditingWay) throws {
    // All contents have the same size, so that sizes do not distinguish them.
    let file = try TestFile(values: ["edit": 1_000_000, "number": 1_000_000])
    let child = try SettingsChild("race", on: file)
    try child.wait(for: "=\t1000010")
    // A store that waits until a file is final, however long its writer is stopped.
    let store = file.openPatiently(patienceOfBackend: .seconds(100_000))
    let edits = HeardValues(of: StoredValue(wrappedValue: 0, "edit", in: store))
    let count = 2_000
    var lost = 0
    for edit in 1...count {
      var values = try Self.values(of: file)
      values["edit"] = 1_000_000 + edit
      try way.write(JSONEncoder().encode(values), to: file.path) { usleep(300) }
      try Self.waitForWrites(child.process, of: file)
      if try Self.values(of: file)["edit"] != 1_000_000 + edit { lost += 1 }
    }
    try Data().write(to: URL(filePath: "\(file.path).stop"))
    try child.process.wait()
    let lines = try child.lines
    let last = lines.last { $0.hasPrefix("=") }.map { $0.dropFirst(2) }
    #expect(try String(Self.values(of: file)["number"] ?? 0) == last ?? "none")
    let writes = lines.count { $0.hasPrefix("=") }
    print("\(way): \(lost) of \(count) lost, \(lines.count - writes) writes refused")
    // Only a lost edit restores an older value.
    #expect(lost > 0 || edits.all == edits.all.sorted(), "\(way)")
    // An editor that has looked up the file, but not yet opened it, cannot be detected.
    #expect(lost <= count / 50, "\(lost) of \(count)")
    #expect(try file.temporaryFiles == [])
  }

  /// Waits for several writes by the process, so that any overwritten edit has disappeared.
  private static func waitForWrites(_ process: ChildProcess, of file: TestFile) throws {
    var seen: Set<Int> = []
    try wait(for: process) {
      if let number = try values(of: file)["number"] { seen.insert(number) }
      return seen.count > 3
    }
  }

  /// The values in the file as soon as it is complete.
  private static func values(of file: TestFile) throws -> [String: Int] {
    while true {
      do {
        return try JSONDecoder().decode(
          [String: Int].self, from: Data(contentsOf: URL(filePath: file.path)))
      } catch {
        // Only the store writes the file atomically.
      }
    }
  }
}

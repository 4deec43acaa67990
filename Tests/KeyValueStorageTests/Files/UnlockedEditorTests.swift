import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A program that edits a file without the lock, while another process writes continuously.
struct UnlockedEditorTests {
  /// The ways in which a program writes the edited content to the file.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case inPlace, inPlaceLater, rename, unlinkAndCreate

    var testDescription: String { rawValue }

    func write(_ content: Data, to path: String) throws {
      let fileSystem = FileSystem()
      switch self {
      case .inPlace:
        try fileSystem.open(path, O_WRONLY | O_TRUNC | O_CREAT, mode: 0o600).write(content, at: 0)
      case .inPlaceLater:
        let file = try fileSystem.open(path, O_WRONLY)
        usleep(300)
        try file.write(content, at: 0)
        try file.truncate(to: content.count)
      case .rename:
        try fileSystem.open("\(path)~", O_WRONLY | O_TRUNC | O_CREAT, mode: 0o600)
          .write(content, at: 0)
        try fileSystem.rename("\(path)~", to: path)
      case .unlinkAndCreate:
        try fileSystem.unlink(path)
        try fileSystem.open(path, O_WRONLY | O_TRUNC | O_CREAT, mode: 0o600).write(content, at: 0)
      }
    }
  }

  private static let kinds =
    Campaign.isFull
    ? Way.allCases.flatMap { way in KeyValueFormat.allCases.map { (way, $0) } }
    : Way.allCases.map { ($0, .json) } + [
      (.rename, .xmlPropertyList), (.inPlace, .binaryPropertyList),
    ]

  @Test(arguments: kinds)
  func editsAreKeptAndSoIsTheLastValueOfTheApp(_ way: Way, _ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    // All contents have the same size, so that sizes do not distinguish them.
    try file.encoded(["edit": 1_000_000, "number": 1_000_000])
      .write(to: URL(filePath: file.path))
    let output = "\(file.directory)/output"
    let child = try SettingsChild("race", on: file, output: output)
    try child.wait(for: "=\t1000010")

    let count = Campaign.size(sample: 60, full: 2_000)
    var lost = 0
    for edit in 1...count {
      usleep(UInt32.random(in: 0..<2_000))
      var values = try Self.values(of: file)
      values["edit"] = 1_000_000 + edit
      try way.write(Self.encode(values, format), to: file.path)
      try Self.waitForWrites(child.process, of: file)
      if try Self.values(of: file)["edit"] != 1_000_000 + edit { lost += 1 }
    }
    try Data().write(to: URL(filePath: "\(file.path).stop"))
    try child.process.wait()

    let lines = try child.lines
    let last = lines.last { $0.hasPrefix("=") }.map { $0.dropFirst(2) }
    #expect(try String(Self.values(of: file)["number"] ?? 0) == last ?? "none")
    let writes = lines.count { $0.hasPrefix("=") }
    let refused = lines.count - writes
    if Campaign.isFull {
      print(
        "\(way) \(format): \(lost) of \(count) edits lost, \(writes) writes, \(refused) refused")
    }
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
    var result: [String: Int]?
    try wait {
      do {
        let data = try Data(contentsOf: URL(filePath: file.path))
        result =
          file.format == .json
          ? try JSONDecoder().decode([String: Int].self, from: data)
          : try PropertyListDecoder().decode([String: Int].self, from: data)
      } catch {
        // Only the store writes the file atomically.
      }
      return result != nil
    }
    return result!
  }

  private static func encode(_ values: [String: Int], _ format: KeyValueFormat) throws -> Data {
    if format == .json { return try JSONEncoder().encode(values) }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format == .binaryPropertyList ? .binary : .xml
    return try encoder.encode(values)
  }
}

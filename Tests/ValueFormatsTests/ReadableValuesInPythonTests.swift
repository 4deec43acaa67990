import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Dates, decimals and durations as Python's `datetime` and `decimal` read them.
///
/// A full campaign fails without Python, so that it does not omit this comparison.
@Suite(
  .enabled(
    if: Campaign.isFull || Python.readsISO8601, "python3 is not installed, or older than 3.11"))
struct ReadableValuesInPythonTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The years that `datetime` has.
  private static let years = -63_113_904_000.0..<252_423_993_600

  @Test(arguments: KeyValueFormat.allCases)
  func pythonReadsTheSameValues(_ format: KeyValueFormat) throws {
    var random = Campaign.generator()
    let count = Campaign.size(sample: 500, full: 100_000)
    var dates: [Date] = []
    while dates.count < count {
      let date = random.date()
      if Self.years.contains(date.timeIntervalSinceReferenceDate) { dates.append(date) }
    }
    let decimals = (0..<count).map { _ in random.decimal() }
    let durations = (0..<count).map { _ in random.duration() }
    let trees: [(key: StoredKey, tree: ValueTree)] = [
      ("dates", try TreeEncoder().encode(dates)),
      ("bits", .array(dates.map { .string(Self.bits(of: $0)) })),
      ("decimals", try TreeEncoder().encode(decimals)),
      ("digits", .array(decimals.map { .string($0.description) })),
      ("durations", try TreeEncoder().encode(durations)),
      ("attoseconds", .array(durations.map { .string($0.attoseconds.description) })),
    ]
    let entries = try format.coding.entries(trees)
    let file = format.coding.join([entries[...]], FileSurroundings())
    try Data(file).write(to: URL(filePath: directory("file")))
    let output = try Python.run(
      Fixture.text("readable.py"), [directory("file"), "\(format)"])
    #expect(output == "\(count) \(count) \(count)\n")
  }

  private static func bits(of date: Date) -> String {
    let digits = String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

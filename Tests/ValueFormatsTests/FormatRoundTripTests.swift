import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

struct FormatRoundTripTests {
  private let seed = UInt64.random(in: 0 ... .max)

  @Test(arguments: KeyValueFormat.allCases)
  func randomValuesComeBackAsTheFormatHasThem(_ format: KeyValueFormat) throws {
    let coding = format.coding
    var random = SplitMix64(seed: seed)
    for number in 0..<Campaign.size(sample: 300, full: 100_000) {
      let trees = random.trees(1)
      let file = coding.join(try coding.entries(trees), EnclosingText())
      let entries = try coding.parse(file).entries
      try #require(entries.map(\.key) == trees.map(\.key), "value \(number) of seed \(seed)")
      let decoded = try coding.decode(entries[0].value)
      try #require(
        exact(decoded) == exact(trees[0].tree.written(in: format)),
        "value \(number) of seed \(seed)")
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func randomFilesComeBackByteForByte(_ format: KeyValueFormat) throws {
    let coding = format.coding
    var random = SplitMix64(seed: seed)
    for number in 0..<Campaign.size(sample: 50, full: 2_000) {
      let entries = try coding.entries(random.trees(random.number(0..<50)))
      let file = coding.join(entries, EnclosingText())
      let parsed = try coding.parse(file)
      try #require(
        parsed.entries.map(\.key) == entries.map(\.key)
          && parsed.entries.map(\.text) == entries.map(\.text)
          && parsed.entries.map(\.valueOffset) == entries.map(\.valueOffset),
        "file \(number) of seed \(seed)")
      try #require(
        coding.join(parsed.entries, parsed.enclosingText) == file,
        "file \(number) of seed \(seed)")
    }
  }

  @Test func eachSecondOfEachYearIsADate() throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<Campaign.size(sample: 1_600, full: 1_000_000) {
      let seconds = random.secondsOfYears().rounded(.down)
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let comment: Comment = "\(seconds) seconds, of seed \(seed)"
      let text = try #require(PropertyListDate.string(of: date), comment)
      try #require(PropertyListDate.date(text[...]) == date, comment)
      try #require(Date(iso8601: text) == date, comment)
    }
  }
}

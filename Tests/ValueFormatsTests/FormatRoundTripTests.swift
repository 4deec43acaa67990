import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

struct FormatRoundTripTests {
  @Test(arguments: KeyValueFormat.allCases)
  func randomFilesComeBack(_ format: KeyValueFormat) throws {
    let coding = format.coding
    var random = Campaign.generator()
    for number in 0..<Campaign.size(sample: 20, full: 4_000) {
      let trees = random.trees(random.number(0..<50))
      let entries = try coding.entries(trees)
      let file = coding.join([entries[...]], FileSurroundings())
      let parsed = try coding.parse(file)
      try #require(
        parsed.entries.map(\.key) == entries.map(\.key)
          && parsed.entries.map(\.text) == entries.map(\.text)
          && parsed.entries.map(\.valueOffset) == entries.map(\.valueOffset),
        "file \(number)")
      try #require(
        coding.join([parsed.entries[...]], parsed.surroundings) == file, "file \(number)")
      for (entry, (_, tree)) in zip(parsed.entries, trees) {
        let decoded = try coding.decode(entry.value)
        try #require(exact(decoded) == exact(tree.written(in: format)), "file \(number)")
      }
    }
  }

  @Test func eachSecondOfEachYearIsADate() throws {
    var random = Campaign.generator()
    for _ in 0..<Campaign.size(sample: 500, full: 1_000_000) {
      let seconds = random.secondsOfYears().rounded(.down)
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let comment: Comment = "\(seconds) seconds"
      let text = try #require(date.iso8601, comment)
      try #require(Date(propertyList: text[...]) == date, comment)
      try #require(Date(iso8601: text) == date, comment)
    }
  }
}

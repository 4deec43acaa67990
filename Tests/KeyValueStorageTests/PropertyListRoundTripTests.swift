import FoundationEssentials
import Testing

@testable import KeyValueStorage

struct PropertyListRoundTripTests {
  private let seed = UInt64.random(in: 0 ... .max)
  private let count = Campaign.size(sample: 1_000, full: 100_000)

  @Test func valuesComeBackExactlyFromBinary() throws {
    let format = BinaryPropertyListFormat()
    var random = PropertyListRandom(seed: seed)
    for number in 0..<count {
      let tree = random.tree()
      let decoded = try format.decode(try format.encode(tree)[...])
      try #require(exact(decoded) == exact(tree), "value \(number) of seed \(seed)")
    }
  }

  @Test func valuesComeBackFromXMLAsItsTextTellsThem() throws {
    let format = XMLPropertyListFormat()
    var random = PropertyListRandom(seed: seed)
    for number in 0..<count {
      let tree = random.tree()
      let decoded = try format.decode(try format.encode(tree)[...])
      try #require(exact(decoded) == exact(inXML(tree)), "value \(number) of seed \(seed)")
    }
  }

  /// What is left of a value when it is text.
  private func inXML(_ tree: ValueTree) -> ValueTree {
    switch tree {
    case .number(.real(let value)):
      if !value.isFinite { return .number(.real(value.isNaN ? .nan : value)) }
      // The spelling is that of this number alone.
      #expect(Double(value.description)?.bitPattern == value.bitPattern)
      return .number(.text(value.description))
    case .number(.float(let value)):
      if !value.isFinite { return .number(.real(value.isNaN ? .nan : Double(value))) }
      #expect(Float(value.description)?.bitPattern == value.bitPattern)
      return .number(.text(value.description))
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      let isText = seconds == seconds.rounded() && (-63_113_904_000..<252_423_993_600) ~= seconds
      // No date tells zeros apart.
      return isText
        ? .date(Date(timeIntervalSinceReferenceDate: seconds + 0)) : inXML(.number(.real(seconds)))
    case .array(let elements): return .array(elements.map(inXML))
    case .dictionary(let elements): return .dictionary(elements.mapValues(inXML))
    default: return tree
    }
  }

  @Test func filesComeBackByteForByte() throws {
    for format in [XMLPropertyListFormat(), BinaryPropertyListFormat()] as [any StoredFormat] {
      var random = PropertyListRandom(seed: seed)
      for _ in 0..<Campaign.size(sample: 20, full: 1_000) {
        let (entries, _) = try random.entries(random.number(0..<50), in: format)
        let file = format.join(entries, FileSurroundings())
        let parsed = try format.parse(file)
        try #require(parsed.entries.map(\.key) == entries.map(\.key), "seed \(seed)")
        try #require(parsed.entries.map(\.text) == entries.map(\.text), "seed \(seed)")
        try #require(parsed.entries.map(\.valueOffset) == entries.map(\.valueOffset))
        try #require(format.join(parsed.entries, parsed.surroundings) == file, "seed \(seed)")
      }
    }
  }

  @Test func eachSecondOfEachYearIsADate() throws {
    var random = PropertyListRandom(seed: seed)
    for _ in 0..<Campaign.size(sample: 20_000, full: 1_000_000) {
      let seconds = random.number(-63_113_904_000..<252_423_993_600)
      let date = Date(timeIntervalSinceReferenceDate: Double(seconds))
      let text = try #require(PropertyListDate.text(of: date))
      try #require(PropertyListDate.date(text[...]) == date, "\(seconds) seconds")
    }
  }
}

import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Changes of random files with comments.
struct CommentedFileTests {
  private let format = JSONFormat(allowsComments: true)

  private func contents(_ bytes: [UInt8]) throws -> KeyValueContents {
    KeyValueContents(try format.parse(bytes), revision: 1)
  }

  private func bytes(of contents: KeyValueContents) -> [UInt8] {
    format.join(contents.parts, contents.surroundings)
  }

  /// Applies a change as a store does, and returns the value as it is in the file.
  @discardableResult
  private func change(
    _ contents: inout KeyValueContents, _ key: String, to value: EncodedValue?
  ) -> EncodedValue? {
    var draft = KeyValueDraft(contents, of: MemoryBackend(), format)
    draft[StoredKey(key)] = value
    contents.apply(draft.effectiveChanges, in: format)
    return value.map { format.value($0, in: contents.surroundings) }
  }

  private func newValue(_ random: inout SeededGenerator) throws -> EncodedValue {
    ArraySlice(
      try format.encode(
        random.one(of: [
          .number(.integer(7)), .string("//\n"),
          .array([.bool(true), .dictionary(["a": .array([])])]),
        ])))
  }

  @Test func setChangesOnlyTheBytesOfItsKey() throws {
    var random = Campaign.generator()
    for number in 0..<Campaign.size(sample: 100, full: 100_000) {
      let file = CommentedFile(using: &random)
      let comment: Comment = "file \(number): \(file.text)"
      let parsed = try format.parse(file.bytes)
      try #require(parsed.entries.map(\.key.string) == file.values.map(\.key), comment)
      try #require(
        parsed.entries.map { Array($0.value) } == file.values.map { file.value($0.range) }, comment)
      try #require(format.join([parsed.entries[...]], parsed.surroundings) == file.bytes, comment)
      var contents = try contents(file.bytes)
      if let (key, range) = file.values.randomElement(using: &random) {
        let value = try #require(change(&contents, key, to: newValue(&random)))
        var expected = file.bytes
        expected.replaceSubrange(range, with: value)
        try #require(bytes(of: contents) == expected, comment)
      } else {
        change(&contents, "new", to: try newValue(&random))
        // Of the file, at most white space in the empty object is replaced.
        let kept = file.bytes.filter { !$0.isWhitespace }
        try #require(isPart(kept, of: bytes(of: contents)), comment)
      }
    }
  }

  /// Whether bytes are others without some of them.
  private func isPart(_ bytes: [UInt8], of others: [UInt8]) -> Bool {
    var rest = bytes[...]
    for byte in others where rest.first == byte { rest.removeFirst() }
    return rest.isEmpty
  }

  /// Sets and removals in memory, with the file read again in between, against a list.
  @Test func changesKeepTheOrderAndTheOtherValues() throws {
    var random = Campaign.generator(1)
    for number in 0..<Campaign.size(sample: 40, full: 30_000) {
      let file = CommentedFile(using: &random)
      var contents = try contents(file.bytes)
      var model = file.values.map { (key: $0.key, value: file.value($0.range)) }
      for _ in 0..<6 {
        let (before, header) = (bytes(of: contents), contents.surroundings.header)
        let key = random.one(of: ["a", "b", "c", "\"", "new", "newer"])
        let index = model.firstIndex { $0.key == key }
        if random.once(in: 2) {
          change(&contents, key, to: nil)
          if let index {
            model.remove(at: index)
            // White space may be added for an empty line after comments that stay.
            let rest = bytes(of: contents).filter { !$0.isWhitespace }
            try #require(isPart(rest, of: before), "file \(number)")
          }
        } else {
          let value = Array(try #require(change(&contents, key, to: newValue(&random))))
          if let index { model[index].value = value } else { model.append((key, value)) }
          if index == nil, model.count > 1 {
            try #require(isPart(before, of: bytes(of: contents)), "file \(number)")
          }
        }
        let written = bytes(of: contents)
        let comment: Comment = "file \(number): \(String(decoding: written, as: UTF8.self))"
        let entries = try format.parse(written).entries
        try #require(entries.map(\.key.string) == model.map(\.key), comment)
        try #require(entries.map { Array($0.value) } == model.map(\.value), comment)
        try #require(written.starts(with: header), comment)
        if random.once(in: 2) { contents = try self.contents(written) }
      }
    }
  }
}

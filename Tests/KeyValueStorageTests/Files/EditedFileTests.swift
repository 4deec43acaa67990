import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A file that other programs edit in several ways while a store has it open.
struct EditedFileTests {
  /// The shell commands with which a program writes the content of the file `new` to the file `$1`.
  enum Editor: CaseIterable, CustomTestStringConvertible {
    case cp, rename, renameOfABackup, removal, sed

    var script: String {
      switch self {
      case .cp: #"cat new >"$1""#
      case .rename: #"cp new "$1.swp"; mv "$1.swp" "$1""#
      // The default of vim.
      case .renameOfABackup: #"mv "$1" "$1~"; cat new >"$1"; rm "$1~""#
      case .removal: #"rm "$1"; cat new >"$1""#
      case .sed: #"sed -i -e '1r new' -e d "$1""#
      }
    }

    var testDescription: String { "\(self)" }

    func write(_ content: Data, to file: TestFile) throws {
      try content.write(to: URL(filePath: "\(file.directory)/new"))
      try Shell.run("set -- '\(file.path)'\n\(script)", in: file.directory)
    }
  }

  private static let kinds = Editor.allCases.flatMap { editor in
    KeyValueFormat.allCases.map { (editor, $0) }
  }

  // `sed` works on lines, and a binary property list has none.
  @Test(arguments: kinds.filter { $0 != .sed || $1 != .binaryPropertyList })
  func eachFinalStateIsHeardAndNothingElse(_ editor: Editor, _ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let store = file.openPatiently()
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let heard = Heard<Int>()
    let observation = number.observe { heard.hear($1) }
    number.wrappedValue = 1
    heard.wait(for: 1)
    let last = Campaign.size(sample: 4, full: 100)
    for value in 2...last {
      let content = try file.encoded(["number": value, "other": value])
      try editor.write(content, to: file)
      heard.wait(for: value)
      #expect(try Data(file.bytes) == content)
      #expect(number.wrappedValue == value)
      #expect(number.error == nil)
    }
    #expect(heard.all == Array(1...last))
    observation.cancel()
  }

  @Test(arguments: kinds.filter { $0 != .sed || $1 != .binaryPropertyList })
  func unsavedChangesOfOtherKeysAreMerged(_ editor: Editor, _ format: KeyValueFormat) throws {
    for value in 2...Campaign.size(sample: 3, full: 30) {
      let file = try TestFile(format)
      try file.encoded(["number": 1]).write(to: URL(filePath: file.path))
      // A store that has not written yet, so that it receives no event of its own write.
      let store = file.openPatiently(.coalesced(within: .seconds(100_000)))
      let number = StoredValue(wrappedValue: 0, "number", in: store)
      let mine = StoredValue(wrappedValue: 0, "mine", in: store)
      let heard = Heard<Int>()
      let heardOfMine = Heard<Int>()
      let observations = [
        number.observe { heard.hear($1) }, mine.observe { heardOfMine.hear($1) },
      ]
      mine.wrappedValue = value
      try editor.write(file.encoded(["number": value, "other": value]), to: file)
      heard.wait(for: value)
      #expect(mine.wrappedValue == value)
      try store.synchronize()
      let other = file.open()
      #expect(try other.value(of: "number") == value)
      #expect(try other.value(of: "other") == value)
      #expect(try other.value(of: "mine") == value)
      #expect(heard.all == [value])
      #expect(heardOfMine.all == [value])
      observations.forEach { $0.cancel() }
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func removedFileMeansTheDefaultValue(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let store = file.open()
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let heard = Heard<Int>()
    let observation = number.observe { heard.hear($1) }
    number.wrappedValue = 1
    try Shell.run("rm '\(file.path)'", in: file.directory)
    heard.wait(for: 0)
    #expect(number.wrappedValue == 0)
    try file.encoded(["number": 3]).write(to: URL(filePath: file.path))
    heard.wait(for: 3)
    #expect(heard.all == [1, 0, 3])
    observation.cancel()
  }

  /// The first access to a store may be a write.
  @Test(arguments: ["set", "save", "property", "transaction", "coalesced"])
  func storeThatWroteFirstHearsOfEdits(_ first: String) throws {
    let file = try TestFile()
    let store = file.open(first == "coalesced" ? .coalesced(within: .seconds(100_000)) : .durable)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    switch first {
    case "set": try store.set(1, for: "number")
    case "save": try number.save(1)
    case "transaction": try store.transaction { number.wrappedValue = 1 }
    default: number.wrappedValue = 1
    }
    try store.synchronize()
    #expect(number.wrappedValue == 1)
    try file.overwrite("{\"number\": 2}")
    try wait { number.wrappedValue == 2 }
    let heard = Heard<Int>()
    let observation = number.observe { heard.hear($1) }
    try file.overwrite("{\"number\": 3}")
    heard.wait(for: 3)
    observation.cancel()
  }
}

import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// A file that other programs edit in several ways while a store has it open.
struct EditedFileTests {
  /// The shell commands with which a program writes the content of the file `new` to the file `$1`.
  enum Editor: CaseIterable {
    case cp, rename, renameOfABackup, removal, sed, git

    var script: String {
      switch self {
      case .cp: #"cat new >"$1""#
      case .rename: #"cp new "$1.swp"; mv "$1.swp" "$1""#
      // The default of vim.
      case .renameOfABackup: #"mv "$1" "$1~"; cat new >"$1"; rm "$1~""#
      case .removal: #"rm "$1"; cat new >"$1""#
      case .sed: #"sed -i -e '1r new' -e d "$1""#
      // As a checkout does.
      case .git:
        #"""
        export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1
        test -d .git || git init -q -b main
        git update-index --add --cacheinfo "100644,$(git hash-object -w new),${1##*/}"
        git checkout-index -f "${1##*/}"
        """#
      }
    }

    func write(_ content: Data, to file: TestFile) throws {
      try content.write(to: URL(filePath: "\(file.directory)/new"))
      try Shell.run("set -- '\(file.path)'\n\(script)", in: file.directory)
    }
  }

  @Test(arguments: Editor.allCases)
  func onlyCompleteEditsNotifyObservers(_ editor: Editor) throws {
    let file = try TestFile()
    let number = file.number(in: file.openPatiently())
    let heard = HeardValues(of: number)
    number.wrappedValue = 1
    heard.wait(for: 1)
    let last = Campaign.size(sample: 3, full: 100)
    for value in 2...last {
      let content = try file.encoded(["number": value, "other": value])
      try editor.write(content, to: file)
      heard.wait(for: value)
      #expect(try Data(file.bytes) == content)
      #expect(number.wrappedValue == value)
      #expect(number.error == nil)
    }
    #expect(heard.all == Array(1...last))
  }

  @Test(arguments: zip(Editor.allCases, KeyValueFormat.allCases + KeyValueFormat.allCases))
  func unsavedChangesAreMergedIntoEdits(_ editor: Editor, _ format: KeyValueFormat) throws {
    let file = try TestFile(format, values: ["number": 1])
    // A store that has not written yet, so that it receives no event of its own write.
    let store = file.openPatiently(.coalesced(within: .seconds(100_000)))
    let mine = StoredValue(wrappedValue: 0, "mine", in: store)
    let (heard, heardOfMine) = (HeardValues(of: file.number(in: store)), HeardValues(of: mine))
    mine.wrappedValue = 7
    StoredValue(wrappedValue: 0, "other", in: store).wrappedValue = 3
    try editor.write(file.encoded(["number": 2, "other": 2]), to: file)
    heard.wait(for: 2)
    #expect(mine.wrappedValue == 7)
    try store.synchronize()
    #expect(try file.values() == ["mine": 7, "number": 2, "other": 3])
    #expect(heard.all == [2])
    #expect(heardOfMine.all == [7])
  }

  /// The first access to a store may be a write.
  @Test(arguments: ["set", "save", "property", "transaction", "coalesced"])
  func storeThatWroteFirstObservesEdits(_ first: String) throws {
    let file = try TestFile()
    let store = file.open(first == "coalesced" ? .coalesced(within: .seconds(100_000)) : .durable)
    let number = file.number(in: store)
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
    let heard = HeardValues(of: number)
    try file.overwrite("{\"number\": 3}")
    heard.wait(for: 3)
  }
}

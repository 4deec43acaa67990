import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

struct UnreadableFileTests {
  private func broken(_ format: KeyValueFormat) throws -> TestFile {
    let file = try TestFile(format)
    try file.overwrite(
      format == .json ? "{\n  \"volume\": 0.5,\n  oops\n}\n" : "<plist><dict><key>")
    return file
  }

  @Test(arguments: KeyValueFormat.allCases)
  func unreadableFileIsNeitherReadNorWritten(_ format: KeyValueFormat) throws {
    let file = try broken(format)
    let text = try file.text
    let store = file.open()
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    #expect(volume.wrappedValue == 0.8)
    guard case .unreadable(let unreadable) = volume.error else {
      Issue.record("\(String(describing: volume.error))")
      return
    }
    if format == .json {
      #expect(unreadable.place.line == 3)
      #expect(unreadable.place.column == 3)
    }
    #expect(unreadable.place.path == file.path)
    #expect(throws: KeyValueStoreError.unreadable(unreadable)) { try volume.load() }
    #expect(throws: KeyValueStoreError.unreadable(unreadable)) { try volume.save(0.1) }
    #expect(throws: KeyValueStoreError.unreadable(unreadable)) { try store.set(1, for: "other") }
    #expect(throws: KeyValueStoreError.unreadable(unreadable)) { try store.keys() }
    #expect(throws: KeyValueStoreError.unreadable(unreadable)) {
      try store.transaction { volume.wrappedValue = 0.2 }
    }
    #expect(volume.wrappedValue == 0.8)
    // A setter retains the value that it cannot write, and the file remains unchanged.
    volume.wrappedValue = 0.3
    #expect(volume.wrappedValue == 0.3 && volume.error != nil)
    #expect(try file.text == text)
    let aside = try #require(try store.moveAsideUnreadableFile())
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == text)
    #expect(volume.error == nil)
    #expect(try file.open().value(of: "volume") == 0.3)
    #expect(try store.moveAsideUnreadableFile() == nil)
  }

  /// Each mistake is named, with its place.
  @Test(arguments: [
    (
      "{\n  \"a\": 1,\n  \"b\": 2,\n  \"a\": 3\n}",
      "at line 4, column 3: duplicate key, first at line 2, column 3."
    ),
    (
      "{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"a\": 2\n>>>>>>> b\n}",
      "at line 2, column 1: conflict marker of Git; resolve the conflict."
    ),
    (
      "{\n  \u{201C}a\u{201D}: 1\n}",
      "at line 2, column 3: typographic quotation mark; use the straight one."
    ),
    (
      "{\n  \"a\": \"x\u{201D}\n}",
      "at line 2, column 10: typographic quotation mark; use the straight one."
    ),
  ])
  func mistakeInTheFileIsNamed(_ text: String, _ message: String) throws {
    let file = try TestFile()
    try file.overwrite(text)
    let error = #expect(throws: KeyValueStoreError.self) { try file.open().load() }
    #expect(error?.description.hasPrefix("\(file.path) cannot be read \(message)") == true)
  }

  @Test func pathInAMessageIsOnOneLine() {
    let path = "/a\n\u{1B}/" + String(repeating: "x", count: 5000)
    let shown = "/a\u{FFFD}\u{FFFD}/" + String(repeating: "x", count: 4091) + "…"
    let errors: [KeyValueStoreError] = [
      .unreadable(UnreadableFile(place: FilePlace(path: path), reason: "reason", offset: 0)),
      .empty(path: path), .notAFile(path: path), .tooLarge(path: path, limit: 1),
      .readOnly(path: path), .ownedByAnother(path: path), .busy(path: path, holder: nil),
      .uncertain(path: path, code: 5), .system(call: "open", path: path, code: 5),
    ]
    for error in errors {
      let message = error.description
      #expect(message.contains(shown) && !message.contains("\n"), "\(message)")
    }
  }

  @Test(arguments: ["https://example.org/settings", "file:///a/h%E9/settings"])
  func storeWithoutALocationIsAnError(url: String) throws {
    let store = KeyValueStore(json: try #require(URL(string: url)))
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    #expect(volume.wrappedValue == 0.8)
    volume.wrappedValue = 0.5
    #expect(volume.wrappedValue == 0.5)
    let error = try #require(volume.error)
    #expect(error.description.contains("file URL, with a path in UTF-8"))
    #expect(throws: error) { try store.set(1, for: "a") }
    #expect(throws: KeyValueStoreError.self) { try store.synchronize() }
    if case .invalid = error { return }
    Issue.record("\(error)")
  }
}

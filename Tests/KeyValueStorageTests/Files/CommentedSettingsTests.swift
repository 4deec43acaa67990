import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing
import ValueFormats

@testable import KeyValueStorage

/// A settings file of a person, with comments and a layout of its own.
struct CommentedSettingsTests {
  private func open(
    _ file: TestFile, _ syntax: JSONSyntax = .allowingComments
  ) -> KeyValueStore { KeyValueStore(json: URL(filePath: file.path), syntax: syntax) }

  private static let text = """
    // The player
    {
      // From 0 to 1
      "volume": 0.50, // loud
      "name": "x", /* y */
    }

    """

  @Test func changesKeepTheComments() throws {
    let file = try TestFile()
    try file.overwrite(Self.text)
    let store = open(file)
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    #expect(volume.wrappedValue == 0.5)
    volume.wrappedValue = 0.25
    var text = Self.text.replacing("0.50", with: "0.25")
    #expect(try file.text == text)
    try store.set([1], for: "list")
    text = text.replacing("/* y */", with: "/* y */\n  \"list\": [\n    1\n  ],")
    #expect(try file.text == text)
    volume.reset()
    text = text.replacing("  // From 0 to 1\n  \"volume\": 0.25, // loud\n", with: "")
    #expect(try file.text == text)
    #expect(try open(file).value(of: "name") == "x")
  }

  @Test func commentsAreAnErrorUnlessAllowed() throws {
    let file = try TestFile()
    try file.overwrite(Self.text)
    let error = KeyValueStoreError.unreadable(
      UnreadableFile(
        place: file.place(1, 1), reason: "comments are not allowed in JSON", offset: 0))
    let store = open(file, .standard)
    #expect(throws: error) { try store.load() }
    #expect(throws: error) { try store.set(1, for: "volume") }
    #expect(try file.text == Self.text)
  }

  @Test func placesHoldWithComments() throws {
    let file = try TestFile()
    try file.overwrite("{ // one\n  /* two\n */ \"number\": /* x */ \"1\", /* y */ \"nmber\": 0 }")
    let store = open(file)
    let number = file.number(in: store)
    let error = UndecodableValue(
      key: "number", type: "Int", reason: "expected a number", found: "\"1\"",
      place: file.place(3, 23))
    #expect(number.error == .undecodable(error))
    #expect(
      try store.unknownKeys
        == [UnknownKey(key: "nmber", suggestion: "number", place: file.place(3, 36))])
    try file.overwrite("{\n  // x\n  \"a\": 1 /* y */ \"b\": 2\n}")
    #expect(
      throws: KeyValueStoreError.unreadable(
        UnreadableFile(
          place: file.place(3, 18), reason: "expected a comma or a closing brace", offset: 26))
    ) { try store.load() }
  }

  @Test func structureThatIsSetAgainIsNotWritten() throws {
    let file = try TestFile()
    let text = "{\r\n\t\"window\": {\r\n\t\t\"width\": 1\r\n\t}\r\n}\r\n"
    try file.overwrite(text)
    let store = file.openUnobserved()
    let window = StoredValue(wrappedValue: ["width": 0], "window", in: store)
    let heard = Heard<String>()
    let observation = store.observe { heard.hear($0) }
    let status = try FileSystem().status(of: file.path, followingLink: true)
    window.wrappedValue = ["width": 1]
    #expect(try FileSystem().status(of: file.path, followingLink: true) == status)
    store.finishHandlers()
    #expect(heard.all == [])
    try window.save(["width": 2])
    #expect(try file.text == text.replacing("1", with: "2"))
    #expect(window.wrappedValue == ["width": 2] && window.error == nil)
    store.finishHandlers()
    #expect(heard.all == ["window"])
    observation.cancel()
  }

  /// The file has the app's value in other bytes than the app has encoded.
  @Test func structureThatWasSetIsNotDecoded() throws {
    let file = try TestFile()
    try file.overwrite("{\n\t\"window\": {\n\t\t\"width\": 1\n\t}\n}\n")
    let store = file.openUnobserved()
    let window = StoredValue<CountedWindow?>("window", in: store)
    #expect(window.wrappedValue?.width == 1)
    let count = CountedWindow.decodings
    for width in [2, 2, 3] {
      window.wrappedValue = CountedWindow(width: width)
      #expect(window.wrappedValue?.width == width)
      for _ in 0..<2 {
        try window.save(CountedWindow(width: width + 1))
        #expect(try window.load()?.width == width + 1)
      }
    }
    store.finishHandlers()
    #expect(CountedWindow.decodings == count)
    #expect(try file.text == "{\n\t\"window\": {\n\t\t\"width\": 4\n\t}\n}\n")
  }

  /// A structure that counts how often one is decoded.
  private struct CountedWindow: Codable, Sendable {
    private static let count = Lock(0)
    static var decodings: Int { count.withLock { $0 } }

    var width: Int

    private enum CodingKeys: CodingKey { case width }

    init(width: Int) { self.width = width }

    init(from decoder: any Decoder) throws {
      width = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .width)
      Self.count.withLock { $0 += 1 }
    }
  }

  @Test func declaredPropertyOfAKeyDecidesItsPlace() throws {
    let file = try TestFile()
    let store = file.open()
    let older = StoredValue(wrappedValue: 0, "alpha", in: store)
    let zeta = StoredValue(wrappedValue: 0, "zeta", in: store)
    store.declare(zeta, StoredValue<Double?>("alpha", in: store))
    try store.transaction {
      older.wrappedValue = 1
      zeta.wrappedValue = 1
    }
    #expect(try file.text == "{\n  \"zeta\": 1,\n  \"alpha\": 1\n}\n")
  }

  @Test(arguments: KeyValueFormat.allCases, [false, true])
  func newFileHasTheOrderOfDeclaration(_ format: KeyValueFormat, _ isDeclared: Bool) throws {
    let file = try TestFile(format)
    let store = file.open()
    let zeta = StoredValue(wrappedValue: 0, "zeta", in: store)
    let alpha = StoredValue(wrappedValue: 0, "alpha", in: store)
    if isDeclared { store.declare(alpha, zeta) }
    try store.transaction {
      for key in ["y", "alpha", "x"] { try store.set(1, for: key) }
      zeta.wrappedValue = 1
    }
    func keys() throws -> [String] { try format.coding.parse(file.bytes).entries.map(\.key.string) }
    // The binary form has no order that a person sees.
    let first = isDeclared ? ["alpha", "zeta", "x", "y"] : ["zeta", "alpha", "x", "y"]
    #expect(try keys() == (format == .binary ? first.sorted() : first))
    // Later keys are at the end.
    try store.set(1, for: "beta")
    zeta.wrappedValue = 2
    #expect(try keys() == (format == .binary ? (first + ["beta"]).sorted() : first + ["beta"]))
  }
}

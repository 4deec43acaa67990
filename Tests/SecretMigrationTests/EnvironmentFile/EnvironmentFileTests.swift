import FoundationEssentials
import SecretMigration
import SecretStorage
import TestSupport
import Testing

struct EnvironmentFileTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func variables(_ text: String) throws -> [String: String] {
    try variables(Array(text.utf8))
  }

  private func variables(_ bytes: [UInt8]) throws -> [String: String] {
    let file = write(bytes, to: directory(".env"))
    let secrets = try ForeignSecrets.environmentFile(at: file, service: "app").secrets
    return Dictionary(
      uniqueKeysWithValues: secrets.map { ($0.identity.account ?? "", $0.secret.text) })
  }

  // Each row was read by python-dotenv 1.2.2 and motdotla/dotenv 17.4.2, from a file.

  // swift-format-ignore
  @Test(arguments: [
    ("A=b", "b"), ("A=", ""), ("A=\n", ""), (" A = b \n", "b"), ("export A=b", "b"),
    ("export\tA=b", "b"), ("A=b\r\n", "b"), ("A=b\r", "b"), ("A=b c", "b c"),
    ("A=b # c", "b"), ("A=b\t#c", "b"), ("A=b #c # d", "b"), ("A=b \\#c", nil),
    ("A=b=c==", "b=c=="), (#"A={"b": "c"}"#, #"{"b": "c"}"#), (#"A=b\nc"#, #"b\nc"#),
    ("A=$b", "$b"), ("A=${b", "${b"), ("A='b # c'", "b # c"), ("A='b' # c", "b"),
    ("A='b'# c", "b"), ("A='b\nc'", "b\nc"), (#"A='b\nc'"#, #"b\nc"#), (#"A='"'"#, #"""#),
    ("A=''", ""), (#"A="b c""#, "b c"), (#"A="b\nc""#, "b\nc"), (#"A="\r\$\d""#, "\r\\$\\d"),
    ("A=\"b\\\nc\"", "b\\\nc"), ("A=\"b\nc\" # d", "b\nc"), (#"A="'""#, "'"), (#"A="""#, ""),
    (#"A="$b""#, "$b"), ("A=Žluťoučký kůň", "Žluťoučký kůň"), ("# c\n\n  # d\nA=b\n\n", "b"),
    ("A=b\nA=b", "b"), ("A='b\r\nc'", "b\nc"), ("A='b\rc'", "b\nc"), ("A=b`c", "b`c"),
    ("A=b'c'", "b'c'"), (#"A=b\"c\\"#, #"b\"c\\"#),
    ("A=\u{A0}b\u{A0}", "b"), ("A=\u{B}b\u{B}", "b"), ("A=\u{C}b \u{3000}", "b"),
    ("A=b\u{A0}#c", "b"), ("A='b'\u{B}#c", "b"), ("A=\" b\u{A0}\"", " b\u{A0}"),
    ("A=b\u{A0}c", "b\u{A0}c"), ("A=b\u{85}c", "b\u{85}c"), ("A='b\u{85}'", "b\u{85}"),
    ("A='b\u{2028}c'", "b\u{2028}c"), ("A=b\u{200B}", "b\u{200B}"),
  ] as [(String, String?)])
  func aValueIsReadAsDocumented(text: String, value: String?) throws {
    guard let value else {
      #expect(throws: MigrationError.self) { try variables(text) }
      return
    }
    #expect(try variables(text) == ["A": value])
  }

  @Test func eachKindOfLineEndEndsALine() throws {
    for end in ["\n", "\r\n", "\r"] {
      let text = ["A=1", "", "# B=2", "B='2'", "C=\"3\" # D=4", ""].joined(separator: end)
      #expect(try variables(text) == ["A": "1", "B": "2", "C": "3"])
    }
  }

  @Test func `export`() throws {
    #expect(try variables("export=1\nexport  B=3") == ["export": "1", "B": "3"])
    #expect(try variables("export export =2") == ["export": "2"])
    #expect(try variables("A.B-c=1\n1_=2") == ["A.B-c": "1", "1_": "2"])
  }

  // swift-format-ignore
  @Test(arguments: [
    ("A", 1), ("\nA b", 2), ("A b=c", 1), ("=b", 1), ("A: b", 1), ("'A'=b", 1),
    ("export A", 1), ("export", 1), ("export =b", 1), ("A='b", 1), ("\nA='b\nc\n", 2),
    ("A=\"b", 1), ("A=\"b\\", 1), ("A='b'c", 1), ("A='b' c", 1), ("A=\"\"\"b\"\"\"", 1),
    ("A=${b}", 1), ("A=\"${b}\"", 1), ("A='${b}'", 1), ("A=b${c:-d}", 1), ("A='1\n2'\nA=b\n", 3),
    ("Á=b", 1), ("A=b\n\nA='b'\nA=c", 4), ("A\u{301}=b", 1), ("\u{FEFF}A=b", 1),
    ("A=b\rc", 2), ("A=b#c", 1), ("A=b# c", 1), ("\rA=# c", 2), ("A= # c", 1), ("A=b#c #d", 1),
    (#"A="b\"c""#, 1), (#"A="b\\c""#, 1), (#"A="b\tc""#, 1), (#"A="b\'c""#, 1), (#"A='b\'c'"#, 1),
    (#"A='b\\c'"#, 1), ("\nA='\n\\\\'", 3), ("A=`b`", 1), ("A=`b", 1), ("A=\"b\"c\"", 1),
    ("A=b\u{85}", 1), ("A=\u{1C}b", 1), ("A=b\u{FEFF}", 1), ("A=b\u{85} #c", 1),
    ("A='b'\u{85}", 1), ("A\u{85}=b", 1), ("A=b\u{2028}c", 1), ("A=1\n# b\u{2029}B=c", 2),
  ])
  func textThatProgramsReadDifferentlyIsRefusedWithTheLine(text: String, line: Int) throws {
    let error = try #require(throws: MigrationError.self) { try variables(text) }
    guard case .malformed(directory(".env"), let reason) = error else {
      Issue.record(error)
      return
    }
    #expect(reason.hasPrefix("line \(line): "))
  }

  @Test(.enabled(if: Python.hasDotenv, "python-dotenv is not installed"))
  func acceptedFilesHaveTheValuesThatPythonDotenvReads() throws {
    var generator = SeededGenerator(seed: 14)
    let pieces =
      ["A", "B", "=", "'", "\"", "\\", "#", "$", "{", "}", " ", "\n", "\r", "\r\n", "n", "t", "`"]
      + ["export ", "é", "\u{A0}", "\u{B}", "\u{85}", "\u{2028}", "\u{FEFF}"]
    var read: [[String: String]] = []
    for _ in 0..<Campaign.size(sample: 600, full: 300_000) {
      let lines = (0..<Int.random(in: 1...3, using: &generator)).map { number in
        let count = Int.random(in: 0...6, using: &generator)
        return "\(["A", "B", "C"][number])="
          + (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined()
      }
      let text = lines.joined(separator: "\n")
      do {
        read.append(try variables(text).merging(["": text]) { value, _ in value })
      } catch {
        continue
      }
    }
    #expect(read.count > 100)
    let file = directory("read.json")
    _ = write(Array(try JSONEncoder().encode(read)), to: file)
    let differences = try Python.run(
      """
      import dotenv, io, json, logging, sys
      logging.disable()
      for values in json.load(open(sys.argv[1], encoding="utf-8")):
          text = io.TextIOWrapper(io.BytesIO(values.pop("").encode()), encoding="utf-8")
          if dict(dotenv.dotenv_values(stream=text)) != values: print(text.buffer.getvalue())
      """, [file])
    #expect(differences == "")
  }

  @Test(arguments: [[0x41, 0x3d, 0xff], [0x41, 0x3d, 0x00], [0x00], [0xff, 0xfe, 0x41, 0x00]])
  func whatIsNoTextIsRefused(bytes: [UInt8]) {
    #expect(throws: MigrationError.self) { try variables(bytes) }
  }

  @Test func noMessageHasAValue() throws {
    for text in [
      "A='hunter2", "A=\"hunter2\" hunter2", "hunter2", "A=1\nA=hunter2", "A=hunter2${B}",
      "A=hunter2#", "A='\\'hunter2'", "A=hunter2\u{85}", "A=hunter2\u{2028}", "A=`hunter2`",
    ] {
      let error = try #require(throws: MigrationError.self) { try variables(text) }
      #expect(!"\(error)".contains("hunter2"))
    }
  }

  @Test func randomBytesNeitherTrapNorHang() {
    var generator = SeededGenerator(seed: 1)
    let alphabet = Array("A=b\"'\\#$ {\n\r\tx`".utf8) + [0xc3]
    var accepted = 0
    for _ in 0..<Campaign.size(sample: 300, full: 500_000) {
      let count = Int.random(in: 0..<20, using: &generator)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator)! }
      do {
        _ = try variables(Array("A=".utf8) + bytes)
        accepted += 1
      } catch {
        guard case MigrationError.malformed = error else {
          Issue.record(error)
          continue
        }
      }
    }
    #expect(accepted > 0)
  }

  @Test func everyBeginningIsReadOrRefused() {
    let text = Array("# c\nexport A='b\nc'\nB=\"d\\n\" # e\nC=f g\n".utf8)
    for count in 0...text.count {
      do {
        _ = try variables(Array(text.prefix(count)))
      } catch {
        guard case MigrationError.malformed = error else {
          Issue.record(error)
          continue
        }
      }
    }
  }

  @Test func placesAndIdentitiesAreThoseOfTheLines() throws {
    let file = write(Array("\nA='1\n2'\nB=3".utf8), to: directory(".env"))
    let secrets = try ForeignSecrets.environmentFile(at: file, service: "app").secrets
    #expect(secrets.map(\.position) == ["line 2", "line 4"])
    #expect(secrets.map(\.identity) == ["A", "B"].map { .generic(service: "app", account: $0) })
  }

  @Test func anEmptyServiceIsRefused() {
    let file = write(Array("A=b".utf8), to: directory(".env"))
    #expect(throws: MigrationError.invalid("The service must not be empty")) {
      try ForeignSecrets.environmentFile(at: file, service: "")
    }
  }

  @Test func whatIsNoFileIsRefused() throws {
    #expect(throws: MigrationError.self) {
      try ForeignSecrets.environmentFile(at: directory.url, service: "app")
    }
    #expect(
      throws: MigrationError.system(call: "open", path: directory("none"), code: 2)
    ) {
      try ForeignSecrets.environmentFile(at: URL(filePath: directory("none")), service: "app")
    }
  }
}

import FoundationEssentials
import SecretMigration
import SecretStorage
import TestSupport
import Testing

final class EnvironmentFileTests: DirectoryTests {
  private func variables(_ text: String) throws -> [String: String] {
    try variables(Array(text.utf8))
  }

  private func variables(_ bytes: [UInt8]) throws -> [String: String] {
    let file = write(bytes, to: directory(".env"))
    let secrets = try ForeignSecrets.environmentFile(at: file, service: "app").secrets
    return Dictionary(
      uniqueKeysWithValues: secrets.map { ($0.identity.account ?? "", $0.secret.text) })
  }

  @Test(arguments: Fixture.environmentLines)
  func textIsReadAsDocumented(_ line: Fixture.EnvironmentLine) throws {
    if let value = line.value {
      #expect(try variables(line.text) == ["A": value])
    } else {
      let error = try expectError(.malformed) { try variables(line.text) }
      let number = try #require(line.line)
      let start = "\(directory(".env")) does not have the expected format: line \(number): "
      #expect("\(error)".hasPrefix(start), "\(error)")
    }
  }

  @Test func everyKindOfLineEndIsRead() throws {
    for end in ["\n", "\r\n", "\r"] {
      let text = ["A=1", "", "# B=2", "B='2'", "C=\"3\" # D=4", ""].joined(separator: end)
      #expect(try variables(text) == ["A": "1", "B": "2", "C": "3"])
    }
  }

  @Test func namesMayFollowExport() throws {
    #expect(try variables("export=1\nexport  B=3") == ["export": "1", "B": "3"])
    #expect(try variables("export export =2") == ["export": "2"])
    #expect(try variables("A.B-c=1\n1_=2") == ["A.B-c": "1", "1_": "2"])
  }

  @Test(.enabled(if: Python.hasDotenv, "python-dotenv is not installed"))
  func valuesEqualThoseOfPythonDotenv() throws {
    var generator = Campaign.generator(14)
    let pieces =
      ["A", "B", "=", "'", "\"", "\\", "#", "$", "{", "}", " ", "\n", "\r", "\r\n", "n", "t", "`"]
      + ["export ", "é", "\u{A0}", "\u{B}", "\u{85}", "\u{2028}", "\u{FEFF}"]
    var read: [[String: String]] = []
    for _ in 0..<Campaign.size(sample: 2_000, full: 300_000) {
      let lines = (0..<Int.random(in: 1...3, using: &generator)).map { number in
        let count = Int.random(in: 0...6, using: &generator)
        return "\(["A", "B", "C"][number])="
          + (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined()
      }
      let text = lines.joined(separator: "\n")
      do {
        read.append(try variables(text).merging(["": text]) { value, _ in value })
      } catch {
        #expect((error as? MigrationError)?.kind == .malformed)
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
  func bytesThatAreNotTextAreAnError(bytes: [UInt8]) {
    #expect(throws: MigrationError.self) { try variables(bytes) }
  }

  @Test func errorsShowNoValue() throws {
    for text in [
      "A='hunter2", "A=\"hunter2\" hunter2", "hunter2", "A=1\nA=hunter2", "A=hunter2${B}",
      "A=hunter2#", "A='\\'hunter2'", "A=hunter2\u{85}", "A=hunter2\u{2028}", "A=`hunter2`",
    ] {
      let error = try #require(throws: MigrationError.self) { try variables(text) }
      #expect(!"\(error)".contains("hunter2"))
    }
  }

  @Test func secretsHaveTheirLineAndIdentity() throws {
    let file = write(Array("\nA='1\n2'\nB=3".utf8), to: directory(".env"))
    let secrets = try ForeignSecrets.environmentFile(at: file, service: "app").secrets
    #expect(secrets.map(\.position) == ["line 2", "line 4"])
    #expect(secrets.map(\.identity) == ["A", "B"].map { .generic(service: "app", account: $0) })
  }

  @Test func emptyServiceIsAnError() {
    let file = write(Array("A=b".utf8), to: directory(".env"))
    #expect(throws: MigrationError.invalid("The service must not be empty")) {
      try ForeignSecrets.environmentFile(at: file, service: "")
    }
  }

  @Test func missingFileIsAnError() throws {
    #expect(throws: MigrationError.self) {
      try ForeignSecrets.environmentFile(at: directory.url, service: "app")
    }
    #expect(
      throws: MigrationError.system(call: "open", path: directory("none"), code: 2)
    ) { try ForeignSecrets.environmentFile(at: URL(filePath: directory("none")), service: "app") }
  }
}

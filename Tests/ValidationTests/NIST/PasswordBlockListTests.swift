import FoundationEssentials
import TestSupport
import Testing
import Validation

struct PasswordBlockListTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func list(_ bytes: some Sequence<UInt8>) throws -> PasswordBlockList {
    let path = directory("list.txt")
    try Data(bytes).write(to: URL(filePath: path))
    return try PasswordBlockList(contentsOf: path)
  }

  @Test func linesArePasswords() throws {
    let list = try list("\u{FEFF}123456\r\npass word \n\n#!comment: of John\n#1 fan\nñandú".utf8)
    #expect(list.count == 4)
    #expect(["123456", "pass word ", "#1 fan", "ñandú", "n\u{303}andú"].allSatisfy(list.contains))
    #expect(!list.contains("pass word"))
    #expect(!list.contains(""))
    #expect(list.unreadableLineCount == 0)
  }

  @Test func emptyFileIsAnEmptyList() throws {
    #expect(try list([]).count == 0)
    #expect(try list("\n\r\n".utf8).count == 0)
  }

  @Test func linesThatAreNotUTF8AreSkipped() throws {
    let list = try list(Array("a\n".utf8) + [0xE9, 0x74, 0xE9, 0x0A] + Array("b".utf8))
    #expect(list.count == 2)
    #expect(list.unreadableLineCount == 1)
  }

  @Test func fileThatIsNotTextIsRejected() throws {
    let path = directory("list.txt")
    #expect(throws: PasswordBlockListError.notText(path: path, line: 2)) {
      _ = try list(Array("a\nb".utf8) + [0] + Array("\n".utf8))
    }
    #expect(throws: PasswordBlockListError.notText(path: path, line: 1)) {
      _ = try list(repeatElement(UInt8(ascii: "a"), count: 4097))
    }
    #expect(try list(repeatElement(UInt8(ascii: "a"), count: 4096)).count == 1)
  }

  @Test func fileThatIsTooLargeIsRejected() throws {
    let path = directory("large")
    let bytes = Data(repeating: UInt8(ascii: "\n"), count: PasswordBlockList.largestFile + 1)
    try bytes.write(to: URL(filePath: path))
    #expect(
      throws: PasswordBlockListError.tooLarge(path: path, limit: PasswordBlockList.largestFile)
    ) {
      _ = try PasswordBlockList(contentsOf: path)
    }
  }

  @Test func failedSystemCallIsDescribed() throws {
    let path = directory("absent")
    let absent = PasswordBlockListError.system(call: "open", path: path, code: 2)
    #expect(throws: absent) { _ = try PasswordBlockList(contentsOf: path) }
    #expect(
      absent.description
        == "The block list cannot be read: open of \(path): No such file or directory (errno 2). "
        + "Check the path and its permissions.")
    #expect(throws: PasswordBlockListError.system(call: "read", path: directory.path, code: 21)) {
      _ = try PasswordBlockList(contentsOf: directory.path)
    }
  }

  @Test func manyLinesAreRead() throws {
    let count = Campaign.size(sample: 20_000, full: 1_000_000)
    var bytes: [UInt8] = []
    for number in 0..<count { bytes += Array("password-\(number)\n".utf8) }
    let list = try list(bytes)
    #expect(list.count == count)
    #expect(list.contains("password-\(count - 1)"))
    #expect(!list.contains("password-\(count)"))
  }
}

import CLibrary
import Testing

@testable import SecretStorage

struct TypedLineTests {
  private static let line: TypedLine = {
    var line = TypedLine(editedBy: termios())
    let keys: [(Int32, UInt8)] = [
      (VERASE, 0x7F), (VWERASE, 0x17), (VKILL, 0x15), (VEOF, 0x04), (VLNEXT, 0x16),
    ]
    for (index, key) in keys { line.keys[Int(index)] = key }
    line.erasesCharacters = true
    return line
  }()

  /// Returns the line that keys produce; nil if the line does not end.
  private func typed(
    _ typed: some Sequence<UInt8>, in line: TypedLine = line
  ) -> (bytes: [UInt8], isEndOfInput: Bool, isTooLong: Bool)? {
    var line = line
    var buffer = [UInt8](repeating: 0, count: TypedLine.limit + 1)
    for byte in typed {
      buffer[line.count] = byte
      let progress = unsafe buffer.withUnsafeMutableBufferPointer { unsafe line.processByte($0) }
      if progress != .incomplete {
        return (Array(buffer[..<line.count]), progress == .endOfInput, line.isTooLong)
      }
    }
    return nil
  }

  @Test(arguments: [
    ("tajny\n", "tajny"), ("\n", ""), ("tajnz\u{7F}y\n", "tajny"), ("\u{7F}\u{7F}a\n", "a"),
    ("wrong\u{15}right\n", "right"), ("one two\u{17}three\n", "one three"),
    ("one two  \u{17}\n", "one "), ("\u{17}\u{15}a\n", "a"), ("caf\u{E9}\u{7F}e\n", "cafe"),
    ("\u{1F511}\u{7F}k\n", "k"), ("a\u{16}\u{7F}b\n", "a\u{7F}b"), ("a\u{16}\nb\n", "a\nb"),
    ("\u{16}\u{16}\n", "\u{16}"), ("tajny\u{4}", "tajny"), ("a\u{16}\u{4}\n", "a\u{4}"),
    ("a\0b\n", "a\0b"),
  ])
  func editingKeysEditTheLine(keys: String, expected: String) throws {
    let line = try #require(typed(keys.utf8))
    #expect(String(decoding: line.bytes, as: UTF8.self) == expected)
    #expect(!line.isEndOfInput && !line.isTooLong)
  }

  @Test func endOfAnEmptyLineIsTheEndOfInput() throws {
    #expect(try #require(typed("\u{4}".utf8)).isEndOfInput)
    #expect(try #require(typed("abc\u{15}\u{4}".utf8)).isEndOfInput)
  }

  @Test func bytesAreErasedOneByOneWithoutUTF8() throws {
    var line = Self.line
    line.erasesCharacters = false
    #expect(try #require(typed("\u{E9}\u{7F}\n".utf8, in: line)).bytes == [0xC3])
  }

  @Test func undefinedKeysEditNothing() throws {
    let text = "a\u{7F}\u{15}\u{17}\u{16}\u{4}\0\n"
    let line = try #require(typed(text.utf8, in: TypedLine(editedBy: termios())))
    #expect(line.bytes == Array(text.utf8.dropLast()))
  }

  @Test func lineIsLimitedTo64KiB() throws {
    let full = Array(repeating: UInt8(ascii: "x"), count: TypedLine.limit)
    let accepted = try #require(typed(full + [0x0A]))
    #expect(accepted.bytes == full && !accepted.isTooLong)
    let longer = try #require(typed(full + [0x79, 0x79, 0x0A]))
    #expect(longer.isTooLong && longer.bytes == full)
    #expect(try #require(typed(full + [0x79, 0x15, 0x79, 0x0A])).bytes == [0x79])
    #expect(try !#require(typed(full + [0x79, 0x15, 0x79, 0x0A])).isTooLong)
  }
}

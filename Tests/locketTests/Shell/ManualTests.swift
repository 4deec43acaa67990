import FoundationEssentials
import TestSupport
import Testing

struct ManualTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  @Test(.enabled(if: Tool.mandoc.isUsable, Tool.mandoc.comment))
  func mandocFindsNothingWrong() throws {
    let ended = try machine.shell("\"$0\" manual >locket.1 && mandoc -T lint locket.1")
    // The other pages of the machine may not be indexed, or not installed.
    let findings = ended.output.split(separator: "\n").filter {
      !$0.contains("mandoc.db") && !$0.contains("referenced manual not found")
    }
    #expect(findings == [])
    let errors = ended.errors.split(separator: "\n").filter { !$0.contains("mandoc.db") }
    #expect(errors == [])
  }

  @Test(.enabled(if: Tool.mandoc.isUsable, Tool.mandoc.comment))
  func aReaderFindsEachCommandAndOption() throws {
    let ended = try machine.shell(
      "\"$0\" manual | mandoc -T ascii -O width=200 | sed 's/.\\x08//g'")
    let page = ended.output
    #expect(page.hasPrefix("LOCKET(1)"))
    let overview = try machine.run("help").output
    for line in overview.split(separator: "\n") where line.hasPrefix("  ") {
      let name = line.dropFirst(2).split(separator: " ", omittingEmptySubsequences: false)
        .prefix { !$0.isEmpty && $0 != "--" && $0.lowercased() == $0 }
      #expect(page.contains("\n     \(name.joined(separator: " "))"), "\(name)")
      let help = try machine.run(["help"] + name.map(String.init), input: "").output
      for line in help.split(separator: "\n") where line.hasPrefix("  -") {
        let words = line.drop { $0 == " " }
        #expect(page.contains(words.firstRange(of: "  ").map { words[..<$0.lowerBound] } ?? words))
      }
    }
    #expect(!page.contains("`"))
  }

  @Test(.enabled(if: Tool.mandoc.isUsable, Tool.mandoc.comment))
  func aTableInANoteKeepsItsLines() throws {
    let ended = try machine.shell(
      "\"$0\" manual | mandoc -T ascii -O width=200 | sed 's/.\\x08//g'")
    #expect(ended.output.contains(#"'["data"]'          an array of values of one type"#))
    #expect(ended.output.contains("  zsh   locket completions zsh >_locket"))
  }
}

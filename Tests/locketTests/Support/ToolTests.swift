import FoundationEssentials
import TestSupport
import Testing

/// A suite whose tests run the tool, each on a machine of its own.
class ToolTests {
  let machine: Machine

  init() throws { machine = try Machine() }

  /// Runs the commands in a file of `Fixtures/transcripts`, which by default has the test's name.
  ///
  /// A command is on a line that begins with `$ `, and continues on lines with `> `. Behind it are
  /// its output, messages after `! `, and exit statuses other than 0, as in `[1]`. `~` is the home.
  func expectTranscript(_ test: String = #function) throws {
    let text = try Fixture.text("transcripts/\(test.prefix { $0 != "(" })")
    for entry in "\n\(text.dropLast())".split(separator: "\n$ ") {
      var lines = entry.split(separator: "\n", omittingEmptySubsequences: false)
      var command = String(lines.removeFirst())
      while lines.first?.hasPrefix("> ") == true {
        command += "\n\(lines.removeFirst().dropFirst(2))"
      }
      let ended = try machine.shell("locket() { \"$0\" \"$@\"; }; \(command)")
      let messages = ended.errors.dropLast().replacing("\n", with: "\n! ")
      let shown =
        ended.output + (ended.errors.isEmpty ? "" : "! \(messages)\(ended.errors.suffix(1))")
        + (ended.status == 0 ? "" : "[\(ended.status)]\n")
      let isExpected = shown.replacing(machine.home.path, with: "~").unicodeScalars
        .elementsEqual(lines.map { "\($0)\n" }.joined().unicodeScalars)
      #expect(isExpected, "\(command)\n\(shown)")
    }
  }
}

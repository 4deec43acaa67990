import TestSupport
import Testing

/// Paths with bytes that are not UTF-8, which Foundation replaces, so that two paths become one.
final class PathTests: ToolTests {
  /// Commands that use the directory `$bad` in each way that reaches the tool.
  private static let commands = [
    #"cd "$bad"; "$0" settings set --file s.json -- a 1"#,
    #"cd "$bad"; "$0" secrets list --vault v --state s"#, #"HOME=$bad "$0" settings set -- a 1"#,
    #"XDG_CONFIG_HOME=$bad "$0" settings set -- a 1"#,
    #"echo secret | XDG_DATA_HOME=$bad "$0" secrets set --service s"#,
    #"echo secret | XDG_STATE_HOME=$bad "$0" secrets set --service s"#,
  ]
  /// Latin 1, bytes that never occur in UTF-8, incomplete and overlong sequences, a surrogate.
  private static let names = [
    #"h\351"#, #"h\377"#, #"\303"#, #"\360\237\230"#, #"\300\257"#, #"\355\240\200"#,
  ]

  @Test(arguments: zip(commands, names))
  func pathThatIsNotUTF8IsRefused(command: String, name: String) throws {
    let ended = try machine.shell(
      """
      bad="$PWD/$(printf '\(name)')"; mkdir "$bad"; (\(command)); echo $?
      ls -A "$bad"; find . | LC_ALL=C grep "$(printf '\\357\\277\\275')"
      """)
    // Nothing was written there, or to the path with U+FFFD.
    #expect(ended.output == "2\n")
    #expect(ended.errors.contains("\u{FFFD}") && ended.errors.contains("are not UTF-8"))
  }
}

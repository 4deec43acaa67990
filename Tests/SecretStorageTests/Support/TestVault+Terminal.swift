import TestSupport

// Processes that ask on a terminal.
extension TestVault {
  /// The words that start a process of a kind that asks on its terminal.
  func asking(_ kind: String) throws -> [String] {
    [try ChildProcess.path(ofExecutable: "VaultProcess"), "ask", path, statePath, kind]
  }

  func terminal(_ kind: String) throws -> PseudoTerminal {
    try PseudoTerminal(asking(kind))
  }

  /// Runs a script in a shell with job control, where `"$0" "$@"` starts such a process.
  func shell(_ kind: String, _ script: String) throws -> PseudoTerminal {
    try PseudoTerminal(["/bin/sh", "-m", "-c", script] + asking(kind))
  }
}

import TestSupport

extension ChildProcess {
  /// Runs the executable `VaultProcess` and appends its standard output to a file.
  convenience init(
    _ mode: String, on vault: TestVault, _ parameters: [String], journal: String
  ) throws {
    try self.init(
      executable: "VaultProcess", [mode, vault.path, vault.statePath] + parameters,
      output: journal)
  }
}

import Testing

/// A vault written by an earlier version, and the machine's files for it.
struct GoldenVault: CustomTestStringConvertible {
  // Contents of files, in Base64.
  let vault: String
  let deviceKey: String
  let state: String
  let stateName: String

  var testDescription: String { stateName }

  static let machineIdentity = "c0ffee00c0ffee00c0ffee00c0ffee00\n"
  static let passphrase = "correct horse battery staple"
  static let keyFile = [UInt8](0..<100)
  static let credential = [UInt8](100..<200)
  static let credentialName = "vault-key"
  static let recoveryCode = "E50WR-TKY67-ZQX8C-HQT2R-V112E-0QBG2-Y4G0P-YCHQS"
}

/// A vault that an earlier version wrote, with what its machine had for it.
struct GoldenVault {
  // The contents of the files, in Base64.
  let vault: String
  let deviceKey: String
  let state: String
  let stateName: String

  static let machineIdentity = "c0ffee00c0ffee00c0ffee00c0ffee00\n"
  static let passphrase = "correct horse battery staple"
}

import SecretStorage

/// What the person has chosen.
struct NewAccount {
  let site: String
  let name: String
  let password: String

  func save(in vault: SecretVault, _ texts: SignUpTexts) async throws {
    @InternetPassword(
      server: site, account: name, match: .exact, refreshPolicy: .manual, in: vault)
    var stored: String?
    // Somebody may have been quicker, whose password must not be lost.
    if try await $stored.load() != nil { throw Failure(texts.lost(name.onOneLine, site)) }
    stored = password
    $stored.attributes.label = site
    try await $stored.save()
  }

  /// Reads the password in another process, and compares it without showing it.
  func readBack(_ wordsForVault: [String]) throws(Failure) {
    let read = try OwnProcess.run(
      ["secrets", "get", "--server", site, "--account", name, "--exact"] + wordsForVault)
    guard read == password else {
      throw Failure("A second process has read something else than was saved.")
    }
  }
}

import SecretStorage

/// Stands for the service that the account is made at: it takes a moment to answer, and the names that
/// the vault has for its site are taken.
struct NameService: Sendable {
  private static let delay = Duration.milliseconds(200)

  let site: String
  let vault: SecretVault

  /// Whether somebody has the name already; names that differ in the case of letters alone are one.
  func isTaken(_ name: String) async throws -> Bool {
    try await Task.sleep(for: Self.delay)
    return try vault.items(matching: .matching(.internet(server: site))).contains {
      $0.identity.account?.lowercased() == name.lowercased()
    }
  }
}

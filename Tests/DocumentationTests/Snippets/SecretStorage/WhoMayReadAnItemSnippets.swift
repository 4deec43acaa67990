import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

/// The code of the article "Access constraints".
final class WhoMayReadAnItemSnippets: DirectoryTests {
  private var vault: SecretVault { directory.vault(authenticator: CustomAuthenticator.willing) }

  @Test func constrainedPasswordIsLoadedWithAProof() async throws {
    let vault = vault
    @GenericPassword(
      service: "com.example.app", account: "recovery", refreshPolicy: .manual,
      accessFlags: [.biometryAny, .or, .devicePasscode], in: vault)
    var recoveryKey: String?

    recoveryKey = "The Valley Wind"
    try await $recoveryKey.save()
    await #expect(throws: SecretStoreError.self) { try await $recoveryKey.load() }

    let context = AuthenticationContext(reason: "Show the recovery key", reuse: .seconds(30))
    do {
      let key = try await $recoveryKey.load(authorizedBy: context)
      print(key ?? "There is none.")
    } catch SecretStoreError.cancelled {
      print("Nothing was shown.")
    } catch {
      print(error)
    }
    #expect(recoveryKey == "The Valley Wind")

    try await $recoveryKey.modifyAccess(
      using: .whenUnlockedThisDeviceOnly, flags: .userPresence, authorizedBy: context)
    let item = try #require(try vault.items(matching: .all).first)
    #expect(
      item.attributes.accessControl
        == AccessControl(.whenUnlockedThisDeviceOnly, flags: .userPresence))
  }

  @Test func applicationPasswordIsChanged() async throws {
    let password = "The Sixth Station"
    let newPassword = "The Valley Wind"
    let vault = vault
    @GenericPassword(
      service: "com.example.app", account: "notes", refreshPolicy: .manual,
      accessFlags: .applicationPassword, in: vault)
    var notes: String?
    notes = "old"

    let opening = AuthenticationContext(
      reason: "Open the notes", applicationPassword: Secret(password.utf8))
    try await $notes.save(authorizedBy: opening)
    try await $notes.load(authorizedBy: opening)
    notes = "new"

    let changing = AuthenticationContext(
      reason: "Change the password", applicationPassword: Secret(password.utf8),
      newApplicationPassword: Secret(newPassword.utf8))
    try await $notes.save(authorizedBy: changing)
    await #expect(throws: SecretStoreError.wrongApplicationPassword) {
      try await $notes.load(authorizedBy: opening)
    }
  }

  @Test func tableMatchesTheStores() async throws {
    let table = try AccessControlTable()
    let flags: [(String, AccessFlags)] = [
      ("userPresence", .userPresence), ("biometryAny", .biometryAny),
      ("biometryCurrentSet", .biometryCurrentSet), ("devicePasscode", .devicePasscode),
      ("applicationPassword", .applicationPassword), ("privateKeyUsage", .privateKeyUsage),
      ("or", [.biometryAny, .or, .devicePasscode]), ("and", [.biometryAny, .and, .devicePasscode]),
    ]
    let accessibilities = Accessibility.allCases.map { ("\($0)", AccessControl($0)) }
    let constrained = flags.map { ($0.0, AccessControl(flags: $0.1)) }
    // The table has every named bit and no other.
    #expect(flags.reduce(into: AccessFlags()) { $0.formUnion($1.1) }.rawValue == 0xFF)
    #expect(table.rows.map(\.name) == (accessibilities + constrained).map(\.0))
    let vault = vault
    try vault.setPassphrase(Secret("x".utf8), cost: .minimum)
    let stores: [any SecretStore] = [
      vault, InMemorySecretStore(authenticator: CustomAuthenticator.willing),
    ]
    #expect(table.stores == ["SecretVault", "InMemorySecretStore"])

    let context = AuthenticationContext(
      reason: "", applicationPassword: Secret([1]), applicationPasswordCost: .minimum)
    for (column, store) in stores.enumerated() {
      let authorization = try await context.authorize(AccessControl(), with: store.authenticator)
      for (name, accessControl) in accessibilities + constrained {
        let cell = try table.cell(name, column)
        var isRefused = false
        do throws(SecretStoreError) {
          _ = try store.add(
            Secret([1]), identity: .generic(service: name),
            attributes: ItemAttributes(accessControl: accessControl), authorizedBy: authorization)
        } catch {
          isRefused = true
        }
        #expect(isRefused == (cell == "refused"), "\(name) of \(table.stores[column])")
        #expect(["cryptography", "policy", "no", "refused"].contains(cell))
      }
      let enforced = try accessibilities.allSatisfy {
        try table.cell($0.0, column) == "cryptography"
      }
      #expect(enforced == store.guarantees.contains(.enforcesAccessibility))
      let checked = try constrained.contains { try table.cell($0.0, column) != "refused" }
      #expect(checked == store.guarantees.contains(.enforcesAccessControl))
      #expect(enforced == store.guarantees.contains(.encryptedAtRest))
    }
    // This flag alone promises more than a refusal.
    #expect(try table.cell("applicationPassword", 0) == "cryptography")
    #expect(try flags.filter { try table.cell($0.0, 0) == "cryptography" }.count == 1)
  }
}

/// The page's table of cryptography and policy.
private struct AccessControlTable {
  let stores: [String]
  let rows: [(name: String, cells: [String])]

  init() throws {
    let page = MarkdownPage(path: "Sources/SecretStorage/SecretStorage.docc/WhoMayReadAnItem.md")
    let part = try #require(try page.text.split(separator: "## What is cryptography").last)
    let lines = part.split(separator: "\n").filter { $0.hasPrefix("|") }
    let cells = lines.map { line in
      line.split(separator: "|").map {
        $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
    }
    func name(_ cell: String) -> String { cell.filter { $0 != "`" } }
    stores = cells[0].filter { !$0.isEmpty }.map(name)
    rows = cells.dropFirst(2).map { (name($0[0]), Array($0.dropFirst())) }
  }

  /// The first word of a cell.
  func cell(_ name: String, _ column: Int) throws -> String {
    let row = try #require(rows.first { $0.name == name })
    return String(row.cells[column].prefix { $0.isLetter })
  }
}

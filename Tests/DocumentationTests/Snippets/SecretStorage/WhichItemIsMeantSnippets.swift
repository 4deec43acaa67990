import SecretStorage
import Testing

/// The code of the article "Matching items".
struct WhichItemIsMeantSnippets {
  @Test func oldestMatchingItemIsUsed() throws {
    try SecretStores.withDefaultStore(InMemorySecretStore()) {
      let ssh = PasswordItem<String>(
        .internet(server: "example.com", account: "peter", protocol: .ssh, port: 8080))
      let any = PasswordItem<String>(.internet(server: "example.com", account: "peter"))

      ssh.value = "The Valley Wind"
      print(any.value ?? "none")  // The Valley Wind
      #expect(any.value == "The Valley Wind")

      let exact = PasswordItem<String>(
        .internet(server: "example.com", account: "peter"), match: .exact)
      #expect(exact.status == .absent)

      ssh.attributes.label = "Build server"
      try ssh.save()
      #expect(any.attributes.label == "Build server")
    }
  }

  @Test func nextItemIsUsedAfterARemoval() throws {
    SecretStores.withDefaultStore(InMemorySecretStore()) {
      let ssh = PasswordItem<String>(
        .internet(server: "example.com", account: "peter", protocol: .ssh, port: 8080))
      let any = PasswordItem<String>(.internet(server: "example.com", account: "peter"))

      let ftp = PasswordItem<String>(
        .internet(server: "example.com", account: "peter", protocol: .ftp))

      ftp.value = "The Sixth Station"
      ssh.value = "The Valley Wind"
      print(any.value ?? "none")  // The Sixth Station
      ftp.value = nil
      print(any.value ?? "none")  // The Valley Wind
      #expect(any.value == "The Valley Wind")
    }
  }

  @Test func stricterDeclarationMatchesNoVagueItem() {
    SecretStores.withDefaultStore(InMemorySecretStore()) {
      let ssh = PasswordItem<String>(.internet(server: "example.com", protocol: .ssh))
      PasswordItem<String>(.internet(server: "example.com")).value = "The Valley Wind"
      #expect(ssh.value == nil)
    }
  }
}

import CLibrary
import SecretStorage
import TestSupport
import Testing

/// The code of the article "Status, errors and refresh policies".
struct StatusSnippets {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func manualPasswordIsStoredBySave() throws {
    try SecretStores.withDefaultStore(InMemorySecretStore()) {
      let token = PasswordItem<String>(
        .generic(service: "com.example.app", account: "peter"), refreshPolicy: .manual)
      token.value = "The Valley Wind"
      print(token.hasUnsavedChanges)  // true
      try token.save()
      #expect(!token.hasUnsavedChanges)

      switch token.status {
      case .value: print("signed in")
      case .absent: print("sign in, please")
      case .locked: print("unlock the vault, please")
      case .denied, .corrupted, .unavailable, .forked: print(token.error ?? .unavailable("unknown"))
      }
      #expect(token.status == .value)
    }
  }

  @Test func unsavedValueIsKept() throws {
    let vault = directory.vault()
    let password = PasswordItem<String>(.generic(service: "com.example.app"), in: vault)
    password.value = "The Valley Wind"

    vault.lock()
    password.value = "The Sixth Station"
    print(password.status, password.hasUnsavedChanges)  // locked true
    #expect(password.status == .locked && password.hasUnsavedChanges)
    #expect(password.value == "The Sixth Station")

    try vault.unlock()
    try password.save()
    print(password.status, password.hasUnsavedChanges)  // value false
    #expect(password.status == .value && !password.hasUnsavedChanges)
  }

  @Test func inPlaceChangeStartsFromTheStoredValue() async throws {
    // The failure is reported to the handler, which belongs to the whole process.
    await #expect(processExitsWith: .success) {
      SecretStores.onFailure = { _ in }
      let directory = try TemporaryDirectory()
      let vault = directory.vault()
      let password = PasswordItem<String>(.generic(service: "com.example.app"), in: vault)
      password.value = "The Sixth Station"

      vault.lock()
      password.value?.append(", part two")
      print(password.status, password.hasUnsavedChanges)  // locked false
      precondition(password.status == .locked && !password.hasUnsavedChanges)

      try vault.unlock()
      password.value?.append(", part two")
      print(password.status)  // value
      precondition(password.value == "The Sixth Station, part two")
    }
  }

  @Test func busyVaultIsAnErrorAfterTheTimeout() throws {
    let vault = directory.vault()
    let password = PasswordItem<String>(.generic(service: "com.example.app"), in: vault)
    password.value = "The Valley Wind"

    vault.lockTimeout = .seconds(5)
    password.value = "The Sixth Station"
    if case .busy(_, let holder?) = password.error {
      print("Process \(holder) holds the vault. The password is kept until it is saved.")
    }
    #expect(password.error == nil)
  }

  @Test func failuresAreReportedToTheHandler() async {
    // The handler belongs to the whole process.
    await #expect(processExitsWith: .exitCode(3)) {
      let directory = try TemporaryDirectory()
      let vault = directory.vault()
      let password = PasswordItem<String>(.generic(service: "com.example.app"), in: vault)
      @Sendable func log(_ line: String) {
        print(line)
        exit(line.hasPrefix("A password could not be saved and is kept in memory.") ? 3 : 4)
      }
      SecretStores.onFailure = { failure in
        log("\(failure)")
      }
      password.value = "The Valley Wind"
      vault.lock()
      password.value = "The Sixth Station"
    }
  }
}

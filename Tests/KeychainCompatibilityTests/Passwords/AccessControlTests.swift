import KeychainCompatibility
import TestSupport
import Testing

/// The accessibility of an item, and the proof that a person must give for it.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.inMemory)
struct AccessControlTests: Sendable {
  private let directory: TemporaryDirectory
  private let person = AskedPerson()
  private let vault: SecretVault

  init() throws {
    directory = try TemporaryDirectory()
    vault = directory.vault(authenticator: person.authenticator)
  }

  @Test func declaredFlagsNeedAProofForALoad() async throws {
    try await onThread { [self] in
      try SecretStores.withDefaultStore(vault) {
        @GenericPassword(
          service: "com.example.app", account: "peter@example.com", refreshPolicy: .manual,
          accessOption: kSecAttrAccessibleWhenUnlocked,
          accessFlags: [.biometryAny, .or, .devicePasscode]
        ) var data: [Int]?
        data = [1, 2]
        try _data.saveToKeychain()
        #expect(person.questions == 0)

        @GenericPassword(service: "com.example.app", refreshPolicy: .manual) var other: [Int]?
        try _other.loadFromKeychain()
        #expect(other == [1, 2] && person.questions == 1)
        #expect(
          _other.accessControl
            == AccessControl(.whenUnlocked, flags: [.biometryAny, .or, .devicePasscode]))

        // A get does not ask.
        @GenericPassword(service: "com.example.app", defaultValue: []) var third: [Int]?
        #expect(third == [] && person.questions == 1)
        let isDenied = if case .denied = _third.storeError { true } else { false }
        #expect(isDenied)
        try _third.loadFromKeychain()
        #expect(person.questions == 2)
      }
    }
  }

  @Test func cancelledQuestionIsAnError() async throws {
    let person = AskedPerson(refusal: .cancelled)
    let vault = directory.vault(authenticator: person.authenticator)
    try await onThread {
      try SecretStores.withDefaultStore(vault) {
        let password = try protectedPassword()
        #expect(
          thrownError { try password.loadFromKeychain() } == "osSecureUserCancelledAuthentication")
        #expect(password.storeError == .cancelled && person.questions == 1)
        #expect(password.wrappedValue == "The Valley Wind")
      }
    }
  }

  @Test func loadInATaskIsDeniedWithoutAQuestion() throws {
    try SecretStores.withDefaultStore(vault) {
      let password = try protectedPassword()
      #expect(thrownError { try password.loadFromKeychain() } == "osSecure(status: -25293)")
      #expect(person.questions == 0)
    }
  }

  @Test func modifiedAccessPrecedesDeclaredAndSetAccess() throws {
    try SecretStores.withDefaultStore(vault) {
      let password = GenericPassword<String>(
        service: "com.example.app", refreshPolicy: .manual,
        accessOption: kSecAttrAccessibleAlways, accessFlags: [])
      password.wrappedValue = "The Valley Wind"
      try password.saveToKeychain()
      try password.loadFromKeychain()
      #expect(password.accesible == kSecAttrAccessibleAlways)
      password.accesible = kSecAttrAccessibleWhenUnlocked
      try password.modifyAccess(using: AccesibleOption.afterFirstUnlock, flags: [])
      #expect(password.accessControl == AccessControl(.afterFirstUnlock))
      try password.saveToKeychain()
      try password.loadFromKeychain()
      #expect(password.accesible == kSecAttrAccessibleAfterFirstUnlock)
      #expect(password.accessControl == nil)

      // The item has another accessibility, and the new one is the default.
      let other = GenericPassword<String>(service: "com.example.app", refreshPolicy: .manual)
      try other.loadFromKeychain()
      try other.modifyAccess(using: AccesibleOption.whenUnlocked, flags: [])
      try other.saveToKeychain()
      try other.loadFromKeychain()
      #expect(other.accesible == kSecAttrAccessibleWhenUnlocked && person.questions == 0)
    }
  }

  @Test func protectionIsAnAccessControl() throws {
    let password = try GenericPassword<String>(
      service: "com.example.app", protection: (access: .whenUnlocked, flags: [.userPresence]))
    #expect(password.accessControl == AccessControl(.whenUnlocked, flags: .userPresence))
  }

  @Test func meaninglessAccessIsAnError() throws {
    let cases: [(String, SecAccessControlCreateFlags)] = [
      ("ak", .watch), ("ak", .privateKeyUsage), ("ak", [.or, .and]), ("ak", .or),
      ("ak", [.userPresence, .biometryAny]), ("", []), ("AK", []),
      ("ak", SecAccessControlCreateFlags(rawValue: 1 << 20)),
    ]
    for (option, flags) in cases { try inMemory { try checkRefusal(of: option, flags) } }
  }

  private func checkRefusal(of option: String, _ flags: SecAccessControlCreateFlags) throws {
    let password = GenericPassword<String>(service: "com.example.app")
    let error = #expect(throws: KeychainError.self) {
      try password.modifyAccess(using: option, flags: flags)
    }
    guard case .accessControllError(let cause as SecretStoreError) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(password.accessControl == nil)

    let declared = GenericPassword<String>(
      service: "com.example.app", accessOption: option, accessFlags: flags)
    declared.wrappedValue = "The Valley Wind"
    #expect(declared.storeError == cause)
    try password.loadFromKeychain()
    #expect(password.wrappedValue == nil)
  }

  @Test func saveFailsWhereFlagsCannotBeEnforced() throws {
    let password = GenericPassword<String>(service: "com.example.app", refreshPolicy: .manual)
    password.wrappedValue = "The Valley Wind"
    try password.modifyAccess(using: kSecAttrAccessibleWhenUnlocked, flags: .userPresence)
    #expect(thrownError { try password.saveToKeychain() }.hasPrefix("accessControllError"))
    #expect(!password.wrappedValueUnchanged)
  }

  @Test func unknownAccessibilityIsAnError() {
    let password = InternetPassword<String>(server: "my.server", refreshPolicy: .manual)
    password.wrappedValue = "The Valley Wind"
    password.accesible = "whenUnlocked"
    #expect(thrownError { try password.saveToKeychain() }.hasPrefix("accessControllError"))
  }
}

/// Saves a password that needs the presence of a person.
@available(*, deprecated)
private func protectedPassword() throws -> GenericPassword<String> {
  let password = GenericPassword<String>(service: "com.example.app", refreshPolicy: .manual)
  try password.modifyAccess(using: kSecAttrAccessibleWhenUnlocked, flags: .userPresence)
  password.wrappedValue = "The Valley Wind"
  try password.saveToKeychain()
  return password
}

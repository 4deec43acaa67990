import Concurrency
import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// The accessibility of an item, and the proof that a person must give for it.
struct AccessControlTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case taskIsDeniedAndNotAsked
    case accessControlGoesBeforeAccessibility
    case modifiedAccessGoesBeforeTheDeclaredOne
    case protectionIsAnAccessControl
    case whatMakesNoSenseIsRefused
    case storeThatCannotCheckRefusesToSave
    case unknownAccessibilityIsRefused
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }

  private let directory: TemporaryDirectory
  private let questions = Lock(0)

  init() throws {
    directory = try TemporaryDirectory()
  }
}

@available(*, deprecated)
extension AccessControlTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .taskIsDeniedAndNotAsked: try taskIsDeniedAndNotAsked()
    case .accessControlGoesBeforeAccessibility: try accessControlGoesBeforeAccessibility()
    case .modifiedAccessGoesBeforeTheDeclaredOne: try modifiedAccessGoesBeforeTheDeclaredOne()
    case .protectionIsAnAccessControl: try protectionIsAnAccessControl()
    case .whatMakesNoSenseIsRefused: try whatMakesNoSenseIsRefused()
    case .storeThatCannotCheckRefusesToSave: try storeThatCannotCheckRefusesToSave()
    case .unknownAccessibilityIsRefused: unknownAccessibilityIsRefused()
    }
  }

  private var vault: SecretVault {
    let authenticator = CustomAuthenticator(capabilities: .presence) {
      [questions] _ throws(SecretStoreError) in
      questions.withLock { $0 += 1 }
      return .presence
    }
    return SecretVault(
      fileURL: directory.url.appending(path: "secrets.vault"), stateDirectory: directory.url,
      authenticator: authenticator)
  }

  private var asked: Int { questions.withLock { $0 } }

  /// Every test runs in a task.
  private func taskIsDeniedAndNotAsked() throws {
    try SecretStores.withDefaultStore(vault) {
      let password = GenericPassword<String>(service: "com.example.app", refreshPolicy: .manual)
      try password.modifyAccess(using: kSecAttrAccessibleWhenUnlocked, flags: .userPresence)
      password.wrappedValue = "The Valley Wind"
      try password.saveToKeychain()
      let error = #expect(throws: KeychainError.self) { try password.loadFromKeychain() }
      guard case .osSecure(status: errSecAuthFailed) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(asked == 0)
    }
  }

  private func accessControlGoesBeforeAccessibility() throws {
    try SecretStores.withDefaultStore(vault) {
      let password = GenericPassword<String>(service: "com.example.app", refreshPolicy: .manual)
      password.wrappedValue = "The Valley Wind"
      password.accesible = kSecAttrAccessibleAlways
      try password.modifyAccess(using: AccesibleOption.afterFirstUnlock, flags: [])
      #expect(password.accessControl == AccessControl(.afterFirstUnlock))
      try password.saveToKeychain()
      try password.loadFromKeychain()
      #expect(password.accesible == kSecAttrAccessibleAfterFirstUnlock)
      #expect(password.accessControl == nil)

      // The item has another accessibility, and the new one is the default.
      try password.modifyAccess(using: AccesibleOption.whenUnlocked, flags: [])
      try password.saveToKeychain()
      try password.loadFromKeychain()
      #expect(password.accesible == kSecAttrAccessibleWhenUnlocked && asked == 0)
    }
  }

  private func modifiedAccessGoesBeforeTheDeclaredOne() throws {
    try inMemory {
      let password = GenericPassword<String>(
        service: "com.example.app", refreshPolicy: .manual,
        accessOption: kSecAttrAccessibleAlways, accessFlags: [])
      password.wrappedValue = "The Valley Wind"
      try password.saveToKeychain()
      try password.loadFromKeychain()
      #expect(password.accesible == kSecAttrAccessibleAlways)
      try password.modifyAccess(using: kSecAttrAccessibleAfterFirstUnlock, flags: [])
      try password.saveToKeychain()
      try password.loadFromKeychain()
      #expect(password.accesible == kSecAttrAccessibleAfterFirstUnlock)
    }
  }

  private func protectionIsAnAccessControl() throws {
    let password = try GenericPassword<String>(
      service: "com.example.app", protection: (access: .whenUnlocked, flags: [.userPresence]))
    #expect(password.accessControl == AccessControl(.whenUnlocked, flags: .userPresence))
  }

  private func whatMakesNoSenseIsRefused() throws {
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

  private func storeThatCannotCheckRefusesToSave() throws {
    try inMemory {
      let password = GenericPassword<String>(service: "com.example.app", refreshPolicy: .manual)
      password.wrappedValue = "The Valley Wind"
      try password.modifyAccess(using: kSecAttrAccessibleWhenUnlocked, flags: .userPresence)
      let error = #expect(throws: KeychainError.self) { try password.saveToKeychain() }
      guard case .accessControllError = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!password.wrappedValueUnchanged)
    }
  }

  private func unknownAccessibilityIsRefused() {
    inMemory {
      let password = InternetPassword<String>(server: "my.server", refreshPolicy: .manual)
      password.wrappedValue = "The Valley Wind"
      password.accesible = "whenUnlocked"
      let error = #expect(throws: KeychainError.self) { try password.saveToKeychain() }
      guard case .accessControllError = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}

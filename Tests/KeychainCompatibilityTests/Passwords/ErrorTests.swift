import Concurrency
import TestSupport
import Testing

@testable import KeychainCompatibility

/// The older names of the stores' errors.
struct ErrorTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case everyErrorOfAStoreHasAnOlderName
    case namesOfZeroPointTwoArePatterns
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension ErrorTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .everyErrorOfAStoreHasAnOlderName: everyErrorOfAStoreHasAnOlderName()
    case .namesOfZeroPointTwoArePatterns: namesOfZeroPointTwoArePatterns()
    }
  }

  private func everyErrorOfAStoreHasAnOlderName() {
    let expected: [(SecretStoreError, String)] = [
      (.locked, "osSecure(status: -25308)"),
      (.wrongPassphrase, "osSecure(status: -25293)"),
      (.wrongKey("x"), "osSecure(status: -25293)"),
      (.wrongApplicationPassword, "osSecure(status: -25293)"),
      (.cancelled, "osSecureUserCancelledAuthentication"),
      (.denied("x"), "osSecure(status: -25293)"),
      (.otherDevice("x"), "osSecure(status: -26275)"),
      (.duplicate, "osSecureDuplicitItem"),
      (.conflict, "osSecureDuplicitItem"),
      (.unsupported("x"), "osSecure(status: -4)"),
      (.invalid("x"), "osSucureInvalidParameter"),
      (.undecodable("x"), "generalDecodingFailure"),
      (.corrupted("x"), "osSecure(status: -26275)"),
      (.rolledBack("x"), "osSecure(status: -25291)"),
      (.replaced("x"), "osSecure(status: -25291)"),
      (.newerFormat("x"), "osSecure(status: -25291)"),
      (.insecure(path: "x", reason: "y"), "osSecure(status: -25291)"),
      (.missingLibrary("x"), "osSecure(status: -25291)"),
      (.unavailable("x"), "osSecure(status: -25291)"),
      (.readOnly("x"), "osSecure(status: -25291)"),
      (.uncertain("x"), "osSecure(status: -25291)"),
      (.system(call: "write", path: "x", code: 28), "osSecureDiskFull"),
      (.system(call: "write", path: "x", code: 122), "osSecureDiskFull"),
      (.system(call: "write", path: "x", code: 5), "osSecure(status: -36)"),
    ]
    for (cause, name) in expected {
      let failure = KeychainFailure(cause)
      #expect(failure.cause == cause)
      #expect(Self.name(of: failure.reported) == name, "\(cause)")
      #expect("\(failure.reported)".hasSuffix("."))
      #expect(failure.reported.errorDescription == "\(failure.reported)")
    }
  }

  private func namesOfZeroPointTwoArePatterns() {
    func name(of error: KeychainError) -> String {
      do {
        throw error
      } catch KeychainError.itemNotFound {
        return "itemNotFound"
      } catch KeychainError.unexpectedData {
        return "unexpectedData"
      } catch KeychainError.unhandledError(let status) {
        return "unhandledError \(status)"
      } catch {
        return "another one"
      }
    }
    #expect(name(of: .osSecureNoSuchItem) == "itemNotFound")
    #expect(name(of: .generalDecodingFailure) == "unexpectedData")
    // The pattern compiles, but no error has this case.
    #expect(name(of: .unhandledError(status: errSecIO)) == "another one")
    #expect(Self.name(of: .unhandledError(status: errSecIO)) == "osSecure(status: -36)")
  }

  /// Returns the name of a case; the switch has every case, as an app's may.
  private static func name(of error: KeychainError) -> String {
    switch error {
    case .unexpectedFormat: "unexpectedFormat"
    case .generalEncodingFailure: "generalEncodingFailure"
    case .generalDecodingFailure: "generalDecodingFailure"
    case .loadSucceededWithoutData: "loadSucceededWithoutData"
    case .accessControllErrorUnknown: "accessControllErrorUnknown"
    case .accessControllError(let status): "accessControllError(status: \(status))"
    case .osSecure(let status): "osSecure(status: \(status))"
    case .osSecureDuplicitItem: "osSecureDuplicitItem"
    case .osSecureNoSuchItem: "osSecureNoSuchItem"
    case .osSecureDiskFull: "osSecureDiskFull"
    case .osSucureInvalidParameter: "osSucureInvalidParameter"
    case .osSecureBadRequest: "osSecureBadRequest"
    case .osSecureUserCancelledAuthentication: "osSecureUserCancelledAuthentication"
    case .osSecureMissingEtitlementForThisFeature: "osSecureMissingEtitlementForThisFeature"
    case .osSecureInvalidValue: "osSecureInvalidValue"
    }
  }
}

/// The reports of properties that could not be read or written.
struct FailureTests: DeprecatedUse {
  enum Fact: Sendable {
    case failureIsToldOnceUntilASuccess
  }

  @Test func failureIsToldOnceUntilASuccess() async {
    // The handler belongs to the whole process.
    await #expect(processExitsWith: .success) {
      try FailureTests().check(.failureIsToldOnceUntilASuccess)
    }
  }
}

@available(*, deprecated)
extension FailureTests {
  func verify(_ fact: Fact) {
    let told = Lock([SecretStorageFailure]())
    SecretStores.onFailure = { failure in told.withLock { $0.append(failure) } }
    inMemory {
      let text = GenericPassword<String>(service: "my.service")
      let number = GenericPassword<Int>(service: "my.service")
      text.wrappedValue = "words"
      precondition(number.wrappedValue == nil && number.wrappedValue == nil)
      precondition(told.withLock { $0 } == [SecretStorageFailure(.read, .undecodable("Int"))])
      text.wrappedValue = "12345678"
      precondition(number.wrappedValue != nil)
      text.wrappedValue = "words"
      precondition(number.wrappedValue != nil)
      precondition(told.withLock { $0.count } == 2)
    }
  }
}

import Concurrency
import Testing

@testable import KeychainCompatibility

/// The older names of the stores' errors.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
struct ErrorTests {
  @Test func errorsOfStoresHaveOlderNames() {
    let expected: [(SecretStoreError, String)] = [
      (.locked("x"), "osSecure(status: -25308)"), (.wrongPassphrase, "osSecure(status: -25293)"),
      (.wrongKey("x"), "osSecure(status: -25293)"),
      (.wrongApplicationPassword, "osSecure(status: -25293)"),
      (.cancelled, "osSecureUserCancelledAuthentication"),
      (.denied("x"), "osSecure(status: -25293)"), (.otherDevice("x"), "osSecure(status: -26275)"),
      (.duplicate, "osSecureDuplicitItem"), (.conflict, "osSecureDuplicitItem"),
      (.unsupported("x"), "osSecure(status: -4)"), (.invalid("x"), "osSucureInvalidParameter"),
      (.undecodable("x"), "generalDecodingFailure"), (.corrupted("x"), "osSecure(status: -26275)"),
      (.rolledBack("x"), "osSecure(status: -25291)"), (.replaced("x"), "osSecure(status: -25291)"),
      (.newerFormat("x"), "osSecure(status: -25291)"),
      (.insecure(path: "x", reason: "y"), "osSecure(status: -25291)"),
      (.missingLibrary("x"), "osSecure(status: -25291)"),
      (.unavailable("x"), "osSecure(status: -25291)"),
      (.system(call: "write", path: "x", code: 28), "osSecureDiskFull"),
      (.system(call: "write", path: "x", code: 122), "osSecureDiskFull"),
      (.system(call: "write", path: "x", code: 5), "osSecure(status: -36)"),
      (.uncertain(path: "x", code: 5), "osSecure(status: -36)"),
    ]
    for (cause, olderName) in expected {
      let failure = KeychainFailure(cause)
      #expect(failure.cause == cause)
      #expect(name(of: failure.reported) == olderName, "\(cause)")
      #expect("\(failure.reported)".hasSuffix("."))
      #expect(failure.reported.errorDescription == "\(failure.reported)")
    }
  }

  @Test func namesOfVersion02ArePatterns() {
    func pattern(of error: KeychainError) -> String {
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
    #expect(pattern(of: .osSecureNoSuchItem) == "itemNotFound")
    #expect(pattern(of: .generalDecodingFailure) == "unexpectedData")
    // The pattern compiles, but no error has this case.
    #expect(pattern(of: .unhandledError(status: errSecIO)) == "another one")
    #expect(name(of: .unhandledError(status: errSecIO)) == "osSecure(status: -36)")
  }

  @Test func repeatedFailureIsReportedOnceUntilASuccess() async {
    await #expect(processExitsWith: .success) {
      recordingFailures { failures in
        let text = GenericPassword<String>(service: "my.service")
        let number = GenericPassword<Int>(service: "my.service")
        text.wrappedValue = "words"
        #expect(number.wrappedValue == nil && number.wrappedValue == nil)
        #expect(failures.withLock { $0 } == [SecretStorageFailure(.read, .undecodable("Int"))])
        text.wrappedValue = "12345678"
        #expect(number.wrappedValue != nil)
        text.wrappedValue = "words"
        #expect(number.wrappedValue != nil)
        #expect(failures.withLock { $0.count } == 2)
      }
    }
  }

  @Test func errorOfASubclassIsReportedWithoutItsText() async {
    await #expect(processExitsWith: .success) {
      recordingFailures { failures in
        let password = RefusingPassword(service: "my.service", defaultValue: "default")
        #expect(password.wrappedValue == "default")
        password.wrappedValue = "The Valley Wind"
        #expect(password.wrappedValue == "The Valley Wind")
        #expect(failures.withLock { $0.map(\.operation) } == [.read, .write])
        for failure in failures.withLock({ $0 }) {
          #expect(password.storeError != nil && !"\(failure)".contains("The Valley Wind"))
        }
      }
    }
  }
}

/// Runs the body of an exit test in a store of its own, with what the process's handler receives.
private func recordingFailures(_ test: (Lock<[SecretStorageFailure]>) -> Void) {
  let failures = Lock([SecretStorageFailure]())
  SecretStores.onFailure = { failure in failures.withLock { $0.append(failure) } }
  inMemory { test(failures) }
}

@available(*, deprecated)
private final class RefusingPassword: GenericPassword<String> {
  struct Refusal: Error {
    let text = "The Valley Wind"
  }

  override func loadFromKeychain() throws { throw Refusal() }
  override func saveToKeychain() throws { throw Refusal() }
}

import Testing

@testable import SecretService

struct SessionKeyAgreementTests {
  @Test func keyDoesNotDependOnLeadingZeros() throws {
    let (one, other) = (try SessionKeyAgreement(), try SessionKeyAgreement())
    let key = try one.key(with: other.publicKey)
    #expect(try other.key(with: one.publicKey) == key)
    // As KWallet sends it.
    #expect(try one.key(with: [0] + other.publicKey) == key)
    let short = [UInt8](repeating: 1, count: 127)
    #expect(try one.key(with: short) == one.key(with: [0] + short))
  }

  @Test(arguments: [[], [0], [UInt8](repeating: 1, count: 129)])
  func publicKeyThatIsNoneIsRefused(_ publicKey: [UInt8]) throws {
    let agreement = try SessionKeyAgreement()
    #expect(throws: BusFailure.self) { try agreement.key(with: publicKey) }
  }
}

import Testing

@testable import SecretStorage

/// The bytes that form a passphrase.
struct VaultPassphraseFormTests {
  private let vault = TestVault()

  @Test(arguments: [0, 65537, 1 << 20])
  func passphraseThatIsEmptyOrTooLongIsRefused(_ count: Int) throws {
    let object = vault.open()
    let right = Secret("right".utf8)
    try object.addSlot(.passphrase(right), named: "person", cost: .minimum)
    let bytes = try vault.bytes
    let passphrase = Secret(repeatElement(UInt8(ascii: "p"), count: count))
    let sentence =
      count == 0
      ? "A passphrase must not be empty"
      : "A passphrase can have at most 64 KiB, not \(count) bytes: use a key file"
    for refused in [
      { try object.setPassphrase(passphrase, cost: .minimum) },
      { try object.addSlot(.passphrase(passphrase), named: "other", cost: .minimum) },
      { try object.unlock(with: .passphrase(passphrase)) },
      { try object.changePassphrase(from: right, to: passphrase, cost: .minimum) },
      { try object.changePassphrase(from: passphrase, to: right, cost: .minimum) },
    ] as [() throws -> Void] {
      #expect(try failure(refused) == .invalid(sentence))
    }
    #expect(try vault.bytes == bytes)
  }

  @Test(arguments: [1, 65536])
  func passphraseOfTheShortestAndLongestFormOpens(_ count: Int) throws {
    let passphrase = Secret(repeatElement(UInt8(ascii: "p"), count: count))
    try vault.open().setPassphrase(passphrase, cost: .minimum)
    try vault.open().unlock(with: .passphrase(passphrase))
  }

  /// Composed and decomposed accents look the same but differ in their bytes.
  @Test(arguments: [true, false])
  func otherNormalisationFormIsAWrongPassphraseThatSaysSo(_ isComposed: Bool) throws {
    let composed = "Cr\u{E8}me br\u{FB}l\u{E9}e \u{D55C}"
    let decomposed = "Cre\u{300}me bru\u{302}le\u{301}e \u{1112}\u{1161}\u{11AB}"
    #expect(composed == decomposed)
    let (set, given) = isComposed ? (composed, decomposed) : (decomposed, composed)
    try vault.open().setPassphrase(Secret(set.utf8), cost: .minimum)
    let object = vault.open()
    let error = try failure { try object.unlock(with: .passphrase(Secret(given.utf8))) }
    #expect(error == .wrongPassphrase)
    #expect("\(error)".contains("accents, they may be encoded differently"))
    try object.unlock(with: .passphrase(Secret(set.utf8)))
  }
}

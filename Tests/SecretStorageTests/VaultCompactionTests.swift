import Testing

@testable import SecretStorage

struct VaultCompactionTests {
  private let vault = TestVault()

  /// A block of a compacted vault holds 256 items: one more stands alone, which is a case of its own.
  @Test(arguments: [1, 255, 256, 257, 258, 513])
  func compactionKeepsEveryItem(_ count: Int) throws {
    let object = vault.open()
    for number in 0..<count { try object.add("value \(number)", account: "\(number)") }
    let before = try object.texts()
    #expect(before.count == count)
    try object.compact()
    #expect(try object.texts() == before)
    #expect(try vault.open().texts() == before)
    let verification = try object.verify()
    #expect(verification.isSound)
    #expect(verification.itemCount == count)
  }
}

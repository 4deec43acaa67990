import Testing

@testable import SecretStorage

struct ItemLimitsTests {
  @Test(arguments: [(16 << 20, true), ((16 << 20) + 1, false)])
  func secretsHaveSixteenMebibytesAtMost(_ count: Int, _ isFine: Bool) {
    expect(isFine, ItemIdentity.generic(), ItemAttributes(), secretCount: count)
  }

  @Test func textsHaveSixtyFourKibibytesTogether() {
    let half = String(repeating: "é", count: 16 * 1024)
    let generic = ItemIdentity.generic(service: half)
    expect(true, generic, ItemAttributes(label: half))
    expect(false, generic, ItemAttributes(label: half, comment: "x"))
    expect(false, generic, ItemAttributes(comment: half, itemDescription: "x"))
    expect(false, .generic(service: half, account: half + "x"), ItemAttributes())
    let internet = ItemIdentity.internet(
      server: half, account: "a", securityDomain: "b", protocol: .ssh, authenticationType: .ntlm,
      path: "c")
    let rest = String(repeating: "x", count: 32 * 1024 - 11)
    expect(true, internet, ItemAttributes(label: rest))
    expect(false, internet, ItemAttributes(label: rest + "x"))
  }

  private func expect(
    _ isFine: Bool, _ identity: ItemIdentity, _ attributes: ItemAttributes, secretCount: Int = 0
  ) {
    do throws(SecretStoreError) {
      try ItemLimits.check(identity: identity, attributes: attributes, secretCount: secretCount)
      #expect(isFine)
    } catch {
      #expect(!isFine && error.invalid != nil, "\(error)")
    }
  }
}

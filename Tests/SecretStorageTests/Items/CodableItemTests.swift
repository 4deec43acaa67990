import FoundationEssentials
import SecretStorage
import Testing

struct CodableItemTests {
  private static let identities: [(ItemIdentity, String)] = [
    (.generic(), #"{"class":"generic"}"#),
    (.generic(service: "é", account: ""), #"{"account":"","class":"generic","service":"é"}"#),
    (.internet(), #"{"class":"internet"}"#),
    (
      .internet(
        server: "s", account: "a", securityDomain: "d", protocol: .ssh,
        authenticationType: .htmlForm, port: 65535, path: "p"),
      #"{"account":"a","authenticationType":"form","class":"internet","path":"p","port":65535,"#
        + #""protocol":"ssh ","securityDomain":"d","server":"s"}"#
    ),
  ]

  private func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decoded<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  @Test(arguments: identities)
  func identityIsEncodedByItsPresentParts(_ identity: ItemIdentity, _ text: String) throws {
    #expect(try encoded(identity) == text)
    #expect(try decoded(text) == identity)
  }

  @Test(arguments: [
    #"{"class": "generic", "server": "s"}"#, #"{"class": "generic", "port": 1}"#,
    #"{"class": "internet", "service": "s"}"#, #"{"class": "key"}"#, #"{"service": "s"}"#,
    #"{"class": "internet", "port": 65536}"#,
  ])
  func identityWithPartsOfAnotherClassIsRefused(_ text: String) {
    #expect(throws: DecodingError.self) { try self.decoded(text) as ItemIdentity }
  }

  @Test func attributesAreEncodedIfPresent() throws {
    let full = ItemAttributes(
      label: "l", comment: "", itemDescription: "d", creator: .max, type: 0, isInvisible: false,
      accessControl: AccessControl(
        .afterFirstUnlockThisDeviceOnly, flags: [.biometryAny, .or, .devicePasscode]))
    #expect(try decoded(encoded(full)) == full)
    let text = #"{"accessControl":{"accessibility":1,"flags":0}}"#
    #expect(try encoded(ItemAttributes()) == text)
    #expect(try decoded(text) == ItemAttributes())
  }

  /// Otherwise, an item could be stored with less protection than it had.
  @Test(arguments: [#"{"label": "l"}"#, #"{"accessControl": {"accessibility": 0, "flags": 0}}"#])
  func attributesWithoutAccessControlAreRefused(_ text: String) {
    #expect(throws: DecodingError.self) { try self.decoded(text) as ItemAttributes }
  }
}

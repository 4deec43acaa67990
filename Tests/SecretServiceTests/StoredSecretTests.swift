import SecretStorage
import Testing

@testable import SecretService

struct StoredSecretTests {
  @Test(arguments: [
    "", "The Valley Wind", "p@ss/word?=&%", "{\"a\":1}",
  ])
  func safeLineIsKeptAsItIs(_ text: String) {
    #expect(StoredSecret.encode(Secret(text.utf8)) == Secret(text.utf8))
  }

  @Test(arguments: [
    "two\nlines", " leading", "trailing ", "back\\slash", "caf\u{e9}", "nul\0", "data:text/plain,x",
    "data:application/octet-stream;base64,AAAA",
  ])
  func otherTextIsEncodedAndComesBack(_ text: String) {
    let stored = StoredSecret.encode(Secret(text.utf8))
    #expect(StoredSecret.isSafeLine(stored))
    #expect(stored != Secret(text.utf8))
    #expect(StoredSecret.decode(stored) == Secret(text.utf8))
  }

  @Test func bytesOfEveryLengthComeBack() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 255 - $0 * 7) }
      let stored = StoredSecret.encode(Secret(bytes))
      #expect(StoredSecret.isSafeLine(stored))
      #expect(StoredSecret.decode(stored) == Secret(bytes))
    }
  }

  @Test func encodingIsThatOfRFC4648() {
    for (text, base64) in [
      ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ] {
      #expect(StoredSecret.encodeBase64(Secret(text.utf8)) == Secret(base64.utf8))
    }
  }

  @Test(arguments: ["A", "AA=A", "A===", "AB==", "AA\n=", "A\u{e9}=="])
  func invalidBase64IsRefused(_ base64: String) {
    #expect(
      StoredSecret.decode(Secret("data:text/plain;charset=utf-8;base64,\(base64)".utf8)) == nil)
  }
}

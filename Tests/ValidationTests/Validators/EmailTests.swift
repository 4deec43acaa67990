import Testing
import Validation

/// The addresses that `input type=email` accepts, and the first errors of others.
struct EmailTests {
  private static let longLabel = String(repeating: "a", count: 63)

  @Test(arguments: [
    "a@b", "a.b@c.de", ".a..b.@c", "!#$%&'*+/=?^_`{|}~-@x-y.z", "a@1.2.3.4", "A@B.C",
    "a@\(longLabel).\(longLabel)", "a@b--c",
  ])
  func addressIsAccepted(address: String) {
    #expect(Validator<String>.email.report(for: address).isValid)
  }

  @Test(arguments: ["", "a", "a.", "a@", "a@b.", "a@b-", "a@b.c-"])
  func beginningCanBecomeAnAddress(text: String) {
    #expect(Validator<String>.email.report(for: text).marks == ".")
  }

  @Test(arguments: [
    ("@", 0), ("a b@c", 1), ("a@@", 2), ("a@.", 2), ("a@-", 2), ("a@b..", 4), ("a@b-.c", 4),
    ("a@b ", 3), ("ä@b", 0), ("a@ä", 2), ("a@b.c\n", 5), ("\"a\"@b", 0), ("a@b@c", 3),
    ("a@\(longLabel)a", 65), ("a@\(longLabel.dropLast())-", 64), ("a@b_c", 3),
  ])
  func firstWrongCharacterIsFound(text: String, place: Int) {
    let report = Validator<String>.email.report(for: text)
    #expect(report.marks == "!")
    #expect(report.checks[0].positions == [place..<(place + 1)])
  }

  /// Every prefix of an address can still become one.
  @Test func typingAnAddressBreaksNothing() {
    let address = "peter.o'neil+x@mail-1.example.com"
    for length in 0..<address.count {
      let state = Validator<String>.email.report(for: String(address.prefix(length))).marks
      #expect(state != "!", "\(address.prefix(length))")
    }
  }
}

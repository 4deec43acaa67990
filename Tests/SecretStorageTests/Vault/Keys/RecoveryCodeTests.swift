import Testing

@testable import SecretStorage

struct RecoveryCodeTests {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// A code without hyphens.
  private let plain: [Character]

  init() throws {
    plain = Array(try RecoveryCode.example(0).text.filter { $0 != "-" })
  }

  private func isRefused(_ text: some StringProtocol) -> Bool {
    let error = try? failure { _ = try RecoveryCode(text) }
    return error?.invalid?.hasPrefix("The recovery code was mistyped: ") == true
  }

  @Test func codeHasGroupsAndRandomCharacters() throws {
    let codes = try (0..<200).map { _ in try RecoveryCode.random() }
    for code in codes {
      #expect(code.text.split(separator: "-").map(\.count) == [5, 5, 5, 5, 5, 5, 5, 5])
      #expect(code.text.allSatisfy { $0 == "-" || Self.alphabet.contains($0) })
      #expect(try RecoveryCode(code.text) == code)
    }
    #expect(Set(codes.map(\.text)).count == codes.count)
    // Each position takes nearly every value in some code.
    for position in [0, 18, 46] { #expect(Set(codes.map { Array($0.text)[position] }).count > 26) }
  }

  @Test func codeIsReadInAnyNotation() throws {
    var seen: Set<Character> = []
    while !seen.isSuperset(of: ["0", "1"]) {
      let code = try RecoveryCode.random()
      seen.formUnion(code.text)
      let plain = code.text.filter { $0 != "-" }
      for text in [
        plain, plain.lowercased(), " \(code.text)\n", code.text.replacing("-", with: " – "),
        plain.map { "\($0)\u{A0}" }.joined(), plain.replacing("0", with: "O"),
        plain.replacing("0", with: "o"), plain.replacing("1", with: "I"),
        plain.replacing("1", with: "l"), plain.replacing("1", with: "L").lowercased(),
      ] {
        #expect(try RecoveryCode(text) == code)
      }
      #expect(try RecoveryCode(Substring(plain)) == code)
    }
  }

  private func expectRefusal(of change: (inout [Character]) -> Void) {
    var wrong = plain
    change(&wrong)
    #expect(isRefused(String(wrong)), "\(String(wrong))")
  }

  @Test func anyChangeOfACharacterIsAnError() {
    for position in plain.indices {
      expectRefusal { $0.remove(at: position) }
      for character in Self.alphabet {
        expectRefusal { $0.insert(character, at: position) }
        if character != plain[position] { expectRefusal { $0[position] = character } }
      }
      for other in plain.indices[(position + 1)...] where plain[position] != plain[other] {
        expectRefusal { $0.swapAt(position, other) }
      }
    }
    expectRefusal { $0.append("0") }
  }

  /// Upper and lower case differ by one bit, which also separates `0` from a control character.
  @Test func characterOutsideOfTheAlphabetIsAnError() {
    for text in ["", " ", "U", "0OIl", "é", "０", "\0", "🗝️"] {
      #expect(isRefused(text))
      #expect(isRefused(text.trimmingPrefix(" ") + String(plain).dropFirst()))
    }
    let right = Array(String(plain).utf8)
    for byte in UInt8(1)..<128 {
      let scalar = Unicode.Scalar(byte)
      var wrong = right
      wrong[7] = byte
      let isSame = Character(scalar).uppercased() == String(Unicode.Scalar(right[7]))
      let isAlias =
        right[7] == UInt8(ascii: "1") && "ILil".unicodeScalars.contains(scalar)
        || right[7] == UInt8(ascii: "0") && "Oo".unicodeScalars.contains(scalar)
      #expect(isRefused(String(decoding: wrong, as: UTF8.self)) != (isSame || isAlias), "\(byte)")
    }
  }

  @Test func descriptionsAndErrorsShowNoCode() throws {
    let code = try RecoveryCode.example(0)
    var texts = ["\(code)", String(reflecting: code), "\([code])", ""]
    dump([code], to: &texts[3])
    for wrong in [code.text + "0", code.text.replacing("-", with: "u"), String(plain.reversed())] {
      texts.append("\(try failure { _ = try RecoveryCode(wrong) })")
    }
    for text in texts { #expect(!text.contains(code.text.prefix(5))) }
    #expect("\(code)" == "<redacted>")
  }

  /// The test vectors of BIP 350.
  @Test(arguments: [
    "A1LQFN3A", "?1v759aa",
    "split1checkupstagehandshakeupstreamerranterredcaperredlc445v",
  ])
  func checksumIsThatOfBIP350(_ text: String) throws {
    let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
    let text = text.lowercased()
    let separator = try #require(text.lastIndex(of: "1"))
    let values = try text[text.index(after: separator)...].map { character in
      UInt8(try #require(alphabet.firstIndex(of: character)))
    }
    func checksum(_ values: [UInt8]) -> UInt32 {
      RecoveryCode.checksum(of: values, after: String(text[..<separator]))
    }
    let sum = checksum(values.dropLast(6) + [0, 0, 0, 0, 0, 0]) ^ RecoveryCode.validChecksum
    let last: [UInt8] = (0..<6).map { index in UInt8((sum >> UInt32(25 - 5 * index)) & 31) }
    #expect(last == Array(values.suffix(6)))
    #expect(checksum(values) == RecoveryCode.validChecksum)
  }
}

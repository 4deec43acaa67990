import Testing

@testable import SecretStorage

struct RecoveryCodeTests {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  private func isRefused(_ text: some StringProtocol) -> Bool {
    do {
      _ = try RecoveryCode(text)
      return false
    } catch {
      return (error as? SecretStoreError)?.invalid?.hasPrefix("The recovery code was mistyped: ")
        == true
    }
  }

  @Test func codesAreShownInGroupsAndReadBack() throws {
    for _ in 0..<100 {
      let code = try RecoveryCode.random()
      let groups = code.text.split(separator: "-")
      #expect(groups.map(\.count) == [5, 5, 5, 5, 5, 5, 5, 5])
      #expect(code.text.allSatisfy { $0 == "-" || Self.alphabet.contains($0) })
      #expect(try RecoveryCode(code.text) == code)
    }
  }

  @Test func codesAreRandom() throws {
    let codes = try (0..<200).map { _ in try RecoveryCode.random().text }
    #expect(Set(codes).count == codes.count)
    // Each position takes nearly every value in some code.
    for position in [0, 18, 46] {
      let values = Set(codes.map { Array($0)[position] })
      #expect(values.count > 26)
    }
  }

  @Test func peopleMayTypeACodeAsTheyLike() throws {
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

  @Test func anySingleWrongCharacterIsNoticed() throws {
    for number: UInt8 in 0..<4 {
      let right = try Array(RecoveryCode.example(number).text.filter { $0 != "-" })
      for position in right.indices {
        for character in Self.alphabet where character != right[position] {
          var wrong = right
          wrong[position] = character
          #expect(isRefused(String(wrong)), "\(position) \(character)")
        }
      }
    }
  }

  @Test func anySwapOfTwoCharactersIsNoticed() throws {
    for number: UInt8 in 0..<4 {
      let right = try Array(RecoveryCode.example(number).text.filter { $0 != "-" })
      for first in right.indices {
        for second in right.indices[(first + 1)...] where right[first] != right[second] {
          var wrong = right
          wrong.swapAt(first, second)
          #expect(isRefused(String(wrong)), "\(first) \(second)")
        }
      }
    }
  }

  @Test func missingAndAdditionalCharactersAreNoticed() throws {
    let right = try Array(RecoveryCode.example(0).text.filter { $0 != "-" })
    for position in right.indices {
      var shorter = right
      shorter.remove(at: position)
      #expect(isRefused(String(shorter)))
      for character in Self.alphabet {
        var longer = right
        longer.insert(character, at: position)
        #expect(isRefused(String(longer)))
      }
    }
    #expect(isRefused(String(right) + "0"))
  }

  @Test(arguments: ["", " ", "U", "0OIl", "é", "０", "\0", "🗝️"])
  func whatIsNoCodeIsRefused(_ text: String) throws {
    #expect(isRefused(text))
    let right = try Array(RecoveryCode.example(0).text.filter { $0 != "-" })
    #expect(isRefused(text.trimmingPrefix(" ") + String(right).dropFirst()))
  }

  /// Upper and lower case differ by one bit, which also separates `0` from a control character.
  @Test func onlyTheAlphabetIsRead() throws {
    let right = try Array(RecoveryCode.example(1).text.filter { $0 != "-" }.utf8)
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

  @Test func mistakesAreNotRepeatedInTheError() throws {
    let right = try RecoveryCode.example(2).text
    for wrong in [right + "0", right.replacing("-", with: "u"), String(right.reversed())] {
      let error = try failure { _ = try RecoveryCode(wrong) }
      #expect(!"\(error)".contains(right.prefix(5)))
    }
  }

  @Test func nothingShowsACode() throws {
    let code = try RecoveryCode.example(3)
    var dumped = ""
    dump([code], to: &dumped)
    for text in ["\(code)", String(reflecting: code), "\([code])", dumped] {
      #expect(!text.contains(code.text.prefix(5)))
    }
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
    var checksum = Bech32mChecksum(humanReadablePart: String(text[..<separator]))
    for value in values.dropLast(Bech32mChecksum.count) { checksum.add(value) }
    #expect((0..<Bech32mChecksum.count).map(checksum.value(at:)) == Array(values.suffix(6)))
    for value in values.suffix(Bech32mChecksum.count) { checksum.add(value) }
    #expect(checksum.isValid)
  }
}

import Testing

@testable import SecretStorage

/// Names with terminal control sequences, in messages.
struct HarmlessTextTests {
  private static let name = "\u{1B}]0;title\u{7}\r\n\u{9B}2J\u{202E}\u{2028}\u{7F}é🗝"

  private func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar.properties.generalCategory != .control && scalar != "\u{202E}" && scalar != "\u{2028}"
    }
  }

  @Test func slotNameInAnErrorHasNoControlCharacters() throws {
    let object = TestVault().open()
    let slot = try object.addSlot(.passphrase("p"), named: Self.name, cost: .cheap)
    try object.removeSlot(1)
    let error = try failure { try object.removeSlot(slot.id) }
    #expect(error.invalid?.contains(Self.name) == true)
    #expect(isHarmless(error.description))
    #expect(error.description.contains("title") && error.description.contains("é🗝"))
    #expect(try object.slots.map(\.name) == [Self.name])
  }

  @Test func errorsAndFindingsHaveNoControlCharacters() {
    let name = Self.name
    let errors: [SecretStoreError] = [
      .locked(name), .wrongKey(name), .denied(name), .otherDevice(name), .unsupported(name),
      .invalid(name), .undecodable(name), .corrupted(name), .rolledBack(name), .replaced(name),
      .newerFormat(name), .insecure(path: name, reason: name), .missingLibrary(name),
      .unavailable(name), .busy(path: name, holder: 1), .uncertain(path: name, code: 5),
      .system(call: "open", path: name, code: 2),
    ]
    var diagnosis = Diagnosis()
    diagnosis.record("Opened by", name)
    for error in errors {
      #expect(isHarmless(error.description))
      diagnosis.problem("Locked", error)
    }
    #expect(diagnosis.findings.map(\.text).allSatisfy(isHarmless))
  }
}

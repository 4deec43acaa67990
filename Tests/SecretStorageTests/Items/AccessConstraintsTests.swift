import Testing

@testable import SecretStorage

/// All combinations of access flags: whether they can be saved, and the proofs that read the item.
struct AccessConstraintsTests {
  /// The kind of error that rejects a combination according to the page on access control.
  private static func refusal(of flags: AccessFlags) -> String? {
    if flags.rawValue >= 1 << 8 { return "unsupported" }
    let proofs: [AccessFlags] = [.biometryAny, .biometryCurrentSet, .devicePasscode]
    let count = proofs.filter { flags.contains($0) }.count
    let others = count + (flags.contains(.applicationPassword) ? 1 : 0)
    let hasPresence = flags.contains(.userPresence)
    let isMeaningless =
      flags.contains(.privateKeyUsage) || flags.isSuperset(of: [.or, .and])
      || flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) || hasPresence && count > 0
      || flags.contains(.or) && count < 2
      || flags.contains(.and) && others + (hasPresence ? 1 : 0) < 2
    return isMeaningless ? "invalid" : nil
  }

  /// The proofs that a person gives in order to read an item, and the enrolled set.
  private static let givenProofs: [(proofs: AuthenticationProofs, enrolledSet: [UInt8])] = [
    ([], [1]), (.passcode, [1]), (.presence, [1]), (.biometry, [1]), (.biometry, [2]),
    ([.passcode, .biometry], [1]), ([.passcode, .biometry], [2]),
  ]

  /// The kind of error that a person with these proofs and this password gets.
  private static func refusal(
    _ flags: AccessFlags, _ proofs: AuthenticationProofs, _ enrolledSet: [UInt8],
    _ password: String?
  ) -> String? {
    var demands: [Bool] = []
    if flags.contains(.userPresence) { demands.append(!proofs.isEmpty) }
    if flags.contains(.devicePasscode) { demands.append(proofs.contains(.passcode)) }
    if flags.contains(.biometryAny) { demands.append(proofs.contains(.biometry)) }
    if flags.contains(.biometryCurrentSet) {
      demands.append(proofs.contains(.biometry) && enrolledSet == [1])
    }
    let isProved =
      demands.isEmpty
      || (flags.contains(.and) ? demands.allSatisfy(\.self) : demands.contains(true))
    if !isProved { return "denied" }
    if !flags.contains(.applicationPassword) || password == "right" { return nil }
    return password == nil ? "denied" : "wrongApplicationPassword"
  }

  private let vault = TestVault()

  @Test func everyCombinationIsSavedOrRejected() throws {
    let object = vault.open()
    let plain = try object.add("plain", account: "plain")
    let context = AuthenticationContext(TestPerson(enrolledSet: [1]), password: "right")
    let authorization = try context.authorization(with: nil)
    for bits in Array(UInt32(0)..<256) + [1 << 8, 1 << 31, 1 << 9 | 1] {
      let flags = AccessFlags(rawValue: bits)
      guard let refusal = Self.refusal(of: flags) else {
        try object.add("\(bits)", account: "\(bits)", flags, by: context)
        continue
      }
      expectError(refusal) { try object.add("\(bits)", account: "\(bits)", flags, by: context) }
      #expect(try object.item("\(bits)") == nil)
      expectError(refusal) {
        try object.change(
          plain, ItemAttributes(accessControl: AccessControl(flags: flags)), by: authorization)
      }
    }
    // With the plain one.
    #expect(try object.items(matching: .all).count == 27)
    #expect(try vault.open().verify().isSound)
  }

  @Test func everyCombinationIsReadWithItsProofs() async throws {
    let object = vault.open()
    let maker = AuthenticationContext(TestPerson(enrolledSet: [1]), password: "right")
    var counts: [String?: Int] = [:]
    for flags in (0..<256).map({ AccessFlags(rawValue: $0) }) where Self.refusal(of: flags) == nil {
      let item = try object.add("\(flags.rawValue)", account: "\(flags.rawValue)", flags, by: maker)
      // The password of an item without one cannot matter, but is given.
      let passwords: [String?] =
        flags.contains(.applicationPassword) ? [nil, "right", "wrong"] : ["wrong"]
      for (proofs, set) in Self.givenProofs {
        for password in passwords {
          let expected = Self.refusal(flags, proofs, set, password)
          let refusal = try await refusal(to: item, in: object, proofs, set, password)
          #expect(
            refusal == expected, "\(flags.rawValue), \(proofs), \(set), \(password ?? "none")")
          counts[expected, default: 0] += 1
        }
      }
    }
    // Every kind of outcome occurred.
    #expect(counts.count == 3 && counts.values.allSatisfy { $0 > 50 })
  }

  private func refusal(
    to item: SecretItem, in object: SecretVault, _ proofs: AuthenticationProofs,
    _ enrolledSet: [UInt8], _ password: String?
  ) async throws -> String? {
    let person =
      proofs.isEmpty
      ? TestPerson { _ throws(SecretStoreError) in throw .denied("no") }
      : TestPerson(proofs, enrolledSet: enrolledSet) { request in
        // All proofs the person can give, even if fewer would be enough.
        request.accepted.union(proofs)
      }
    let context = AuthenticationContext(person, password: password)
    do {
      let text = try await object.text(of: item, by: context)
      #expect(text == "\(item.attributes.accessControl.flags.rawValue)")
      return nil
    } catch let error as SecretStoreError {
      return error.kind
    }
  }
}

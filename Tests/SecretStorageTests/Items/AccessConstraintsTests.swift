import Testing

@testable import SecretStorage

/// All combinations of access flags: whether they can be saved, and the proofs that read the item.
struct AccessConstraintsTests {
  enum Sense { case some, none, newer }

  /// The meaning of a combination according to the page on access control.
  private static func sense(of flags: AccessFlags) -> Sense {
    if flags.rawValue >= 1 << 8 { return .newer }
    let proofs: [AccessFlags] = [.biometryAny, .biometryCurrentSet, .devicePasscode]
    let count = proofs.filter { flags.contains($0) }.count
    let others = count + (flags.contains(.applicationPassword) ? 1 : 0)
    let hasPresence = flags.contains(.userPresence)
    let isMeaningless =
      flags.contains(.privateKeyUsage) || flags.isSuperset(of: [.or, .and])
      || flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) || hasPresence && count > 0
      || flags.contains(.or) && count < 2
      || flags.contains(.and) && others + (hasPresence ? 1 : 0) < 2
    return isMeaningless ? .none : .some
  }

  /// The proofs that a person gives in order to read an item, and the enrolled set.
  private static let givenProofs: [(proofs: AuthenticationProofs, enrolledSet: [UInt8])] = [
    ([], [1]), (.passcode, [1]), (.presence, [1]), (.biometry, [1]), (.biometry, [2]),
    ([.passcode, .biometry], [1]), ([.passcode, .biometry], [2]),
  ]

  enum Outcome { case read, denied, wrongPassword }

  private static func outcome(
    _ flags: AccessFlags, _ proofs: AuthenticationProofs, _ enrolledSet: [UInt8],
    _ password: String?
  ) -> Outcome {
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
    if !isProved { return .denied }
    if !flags.contains(.applicationPassword) || password == "right" { return .read }
    return password == nil ? .denied : .wrongPassword
  }

  private let vault = TestVault()

  @Test func everyCombinationIsSavedOrRejected() throws {
    let object = vault.open()
    let plain = try object.add("plain", account: "plain")
    let context = AuthenticationContext(TestPerson(enrolledSet: [1]), password: "right")
    let authorization = try context.authorization(with: nil)
    var saved = 0
    for bits in Array(UInt32(0)..<256) + [1 << 8, 1 << 31, 1 << 9 | 1] {
      let flags = AccessFlags(rawValue: bits)
      let outcome = refusal { () throws(SecretStoreError) in
        try object.add("\(bits)", account: "\(bits)", flags, by: context)
      }
      #expect(outcome == Self.sense(of: flags), "flags \(bits)")
      if outcome == .some { saved += 1 }
      guard outcome != .some else { continue }
      #expect(try object.item("\(bits)") == nil)
      let updated = refusal { () throws(SecretStoreError) in
        try object.update(
          plain.id, expecting: plain.revision,
          attributes: ItemAttributes(accessControl: AccessControl(flags: flags)), secret: nil,
          authorizedBy: authorization)
      }
      #expect(updated == outcome, "flags \(bits)")
    }
    #expect(saved == 26)
    #expect(try object.items(matching: .all).count == saved + 1)
    #expect(try vault.open().verify().isSound)
  }

  @Test func everyCombinationIsReadWithItsProofs() async throws {
    let object = vault.open()
    let maker = AuthenticationContext(TestPerson(enrolledSet: [1]), password: "right")
    var counts: [Outcome: Int] = [:]
    for flags in (0..<256).map({ AccessFlags(rawValue: $0) }) where Self.sense(of: flags) == .some {
      let item = try object.add("\(flags.rawValue)", account: "\(flags.rawValue)", flags, by: maker)
      // The password of an item without one cannot matter, but is given.
      let passwords: [String?] =
        flags.contains(.applicationPassword) ? [nil, "right", "wrong"] : ["wrong"]
      for (proofs, set) in Self.givenProofs {
        for password in passwords {
          let expected = Self.outcome(flags, proofs, set, password)
          let outcome = await outcome(of: item, in: object, proofs, set, password)
          #expect(
            outcome == expected, "flags \(flags.rawValue), \(proofs), \(set), \(password ?? "none")"
          )
          counts[expected, default: 0] += 1
        }
      }
    }
    // Every kind of outcome occurred.
    #expect(counts.count == 3 && counts.values.allSatisfy { $0 > 50 })
  }

  private func outcome(
    of item: SecretItem, in object: SecretVault, _ proofs: AuthenticationProofs,
    _ enrolledSet: [UInt8], _ password: String?
  ) async -> Outcome? {
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
      return .read
    } catch {
      switch error as? SecretStoreError {
      case .denied: return .denied
      case .wrongApplicationPassword: return .wrongPassword
      default:
        Issue.record(error)
        return nil
      }
    }
  }

  private func refusal(_ write: () throws(SecretStoreError) -> SecretItem) -> Sense? {
    do throws(SecretStoreError) {
      _ = try write()
      return .some
    } catch {
      switch error {
      case .invalid: return Sense.none
      case .unsupported: return .newer
      default:
        Issue.record(error)
        return nil
      }
    }
  }
}

import SecretStorage

extension Trial {
  private var enforcesAccessControl: Bool { store.guarantees.contains(.enforcesAccessControl) }

  func accessFlagsAreCheckedOrRefused() throws {
    let plain = try add(.generic(service: "plain"))
    for flags in refusedFlags {
      let identity = ItemIdentity.generic(service: "\(flags.rawValue)")
      let attributes = ItemAttributes(accessControl: AccessControl(flags: flags))
      let added = try expectHonest(
        "add with access flags", try add(identity, attributes: attributes))
      let updated = try expectHonest("update with access flags", try update(plain, attributes))
      expect(
        added == nil && updated == nil, "a write with the access flags \(flags.rawValue)",
        "a refusal, as no check of them is possible")
    }
  }

  /// The flags that the store cannot check itself, and invalid mixes.
  private var refusedFlags: [AccessFlags] {
    let capabilities = store.authenticator?.capabilities ?? []
    let checkable: [(flags: AccessFlags, proofs: AuthenticationProofs)] = [
      (.userPresence, .any), (.biometryAny, .biometry), (.biometryCurrentSet, .biometry),
      (.devicePasscode, .passcode),
      ([.biometryAny, .or, .devicePasscode], [.biometry, .passcode]),
    ]
    var refused = checkable.filter {
      !enforcesAccessControl || $0.proofs.isDisjoint(with: capabilities)
    }.map(\.flags)
    if !enforcesAccessControl { refused.append(.applicationPassword) }
    return refused + [
      .privateKeyUsage, .or, .and, [.userPresence, .devicePasscode],
      [.biometryAny, .biometryCurrentSet], AccessFlags(rawValue: 1 << 20),
    ]
  }

  func unauthorizedReadIsDenied() async throws {
    guard enforcesAccessControl else { return }
    let person = Person(proving: .any)
    let saving = try await authorization(from: person)
    for flags in Self.provableFlags {
      guard let item = try addConstrained(flags, saving) else { continue }
      expectDenied("secret(of:)", try secret(of: item))
      expectDenied("secret(of:) of another instance", try another.secret(of: item.id))
      expectDenied(
        "secret(of:) without a proof", try store.secret(of: item.id, authorizedBy: saving))
    }
    let plain = try add(.generic(service: "plain"))
    let constrained = try store.update(
      plain.id, expecting: plain.revision,
      attributes: ItemAttributes(accessControl: AccessControl(flags: .userPresence)),
      secret: nil, authorizedBy: saving)
    expectDenied("secret(of:) after an update with access flags", try secret(of: constrained))
    expect(person.questions == 0, "reading and writing", "no question by the store itself")
  }

  func authorizedReadGivesTheSecret() async throws {
    guard enforcesAccessControl else { return }
    let person = Person(proving: .any)
    let saving = try await authorization(from: person)
    for flags in Self.provableFlags {
      guard let item = try addConstrained(flags, saving) else { continue }
      let reading = try await authorization(from: person, for: item.attributes.accessControl)
      for instance in [store, another] {
        do throws(SecretStoreError) {
          let found = try instance.secret(of: item.id, authorizedBy: reading)
          expect(
            found?.secret == Secret("secret".utf8), "secret(of:)", "the secret, with the proof")
        } catch {
          expect(false, "secret(of:)", "the secret, with the proof, not \(error)")
        }
      }
    }
  }

  func insufficientProofIsDenied() async throws {
    guard enforcesAccessControl else { return }
    let saving = try await authorization(from: Person(proving: .any))
    guard let item = try addConstrained(.devicePasscode, saving) else { return }
    for proofs in [AuthenticationProofs.biometry, .presence, [.biometry, .presence]] {
      let person = Person(proving: proofs)
      let other = try await authorization(from: person, for: AccessControl(flags: .userPresence))
      expectDenied(
        "secret(of:) with the proof of \(proofs)",
        try store.secret(of: item.id, authorizedBy: other))
    }
  }

  func applicationPasswordIsRequired() async throws {
    guard enforcesAccessControl else { return }
    let right = try await authorization(password: "right")
    let wrong = try await authorization(password: "wrong")
    guard var item = try addConstrained(.applicationPassword, right) else { return }
    expectDenied("secret(of:) without a password", try secret(of: item))
    expect(
      .wrongApplicationPassword, "secret(of:)", try store.secret(of: item.id, authorizedBy: wrong))
    expect(
      .wrongApplicationPassword, "update",
      try store.update(
        item.id, expecting: item.revision, attributes: nil, secret: Secret("lost".utf8),
        authorizedBy: wrong))
    expect(
      try another.secret(of: item.id, authorizedBy: right)?.secret == Secret("secret".utf8),
      "secret(of:)", "the secret, with the password")
    let changing = try await authorization(password: "right", new: "other")
    item = try store.update(
      item.id, expecting: item.revision, attributes: nil, secret: Secret("new".utf8),
      authorizedBy: changing)
    expect(
      .wrongApplicationPassword, "secret(of:) with the old password",
      try store.secret(of: item.id, authorizedBy: right))
    let other = try await authorization(password: "other")
    expect(
      try store.secret(of: item.id, authorizedBy: other)?.secret == Secret("new".utf8),
      "secret(of:)", "the secret, with the new password")
  }
}

extension Trial {
  private static let provableFlags: [AccessFlags] = [
    .userPresence, .biometryAny, .devicePasscode, [.biometryAny, .or, .devicePasscode],
    [.biometryAny, .and, .devicePasscode],
  ]

  /// Adds an item with access flags; nil if the store may refuse them as unsupported, and does.
  private func addConstrained(
    _ flags: AccessFlags, _ authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem? {
    do throws(SecretStoreError) {
      return try store.add(
        Secret("secret".utf8), identity: .generic(service: "\(flags.rawValue)"),
        attributes: ItemAttributes(accessControl: AccessControl(flags: flags)),
        authorizedBy: authorization)
    } catch {
      if case .unsupported = error, flags != .userPresence { return nil }
      throw error
    }
  }

  /// Asks a person for the proofs of an item, by default none, and returns the authorization.
  private func authorization(
    from person: Person, for accessControl: AccessControl = AccessControl()
  ) async throws(SecretStoreError) -> Authorization {
    try await AuthenticationContext(reason: title, authenticator: person)
      .authorization(for: accessControl, with: store.authenticator)
  }

  private func authorization(
    password: String, new: String? = nil
  ) async throws(SecretStoreError) -> Authorization {
    try await AuthenticationContext(
      reason: title, applicationPassword: Secret(password.utf8),
      newApplicationPassword: new.map { Secret($0.utf8) },
      applicationPasswordCost: .minimum
    ).authorization(for: AccessControl(), with: store.authenticator)
  }

  private func expectDenied<Result>(
    _ operation: String, _ body: @autoclosure () throws(SecretStoreError) -> Result?
  ) {
    do throws(SecretStoreError) {
      _ = try body()
      expect(false, operation, "the error denied, not a success")
    } catch {
      if case .denied = error { return }
      expect(false, operation, "the error denied, not \(error)")
    }
  }
}

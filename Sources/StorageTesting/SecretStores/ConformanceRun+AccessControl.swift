import SecretStorage

// The checks of access flags, authorizations and application passwords.
extension ConformanceRun {
  private var enforcesAccessControl: Bool { store.guarantees.contains(.enforcesAccessControl) }

  func accessFlagsAreEnforcedOrRejected() throws {
    let plain = try add(.generic(service: "plain"))
    for flags in rejectedFlags {
      try expectRejection(
        of: plain, Self.attributes(flags), Secret("secret"),
        "access flags \(flags.rawValue), which the store cannot enforce")
    }
  }

  /// The flags that the store cannot enforce, and invalid combinations.
  private var rejectedFlags: [AccessFlags] {
    let capabilities = store.authenticator?.capabilities ?? []
    let enforceable: [(flags: AccessFlags, proofs: AuthenticationProofs)] = [
      (.userPresence, .any), (.biometryAny, .biometry), (.biometryCurrentSet, .biometry),
      (.devicePasscode, .passcode),
      ([.biometryAny, .or, .devicePasscode], [.biometry, .passcode]),
    ]
    var rejected = enforceable.filter {
      !enforcesAccessControl || $0.proofs.isDisjoint(with: capabilities)
    }.map(\.flags)
    if !enforcesAccessControl { rejected.append(.applicationPassword) }
    return rejected + [
      .privateKeyUsage, .or, .and, [.userPresence, .devicePasscode],
      [.biometryAny, .biometryCurrentSet], AccessFlags(rawValue: 1 << 20),
    ]
  }

  func proofsAreRequired() async throws {
    guard enforcesAccessControl else { return }
    let unasked = CustomAuthenticator(capabilities: .any) { _ throws(SecretStoreError) in
      expect(false, "reading and writing", "no authentication request by the store")
      throw .cancelled
    }
    let saving = try await authorization(from: unasked)
    var items = try Self.provableFlags.compactMap { try addConstrained($0, saving) }
    let plain = try add(.generic(service: "plain"))
    items.append(try update(plain, Self.attributes(.userPresence), authorizedBy: saving))
    for item in items {
      for run in [self, other] {
        run.expect(Self.denial, "secret(of:)", try run.secret(of: item))
        run.expect(
          Self.denial, "secret(of:) without a proof",
          try run.secret(of: item, authorizedBy: saving))
      }
    }
    for item in items {
      let reading = try await authorization(
        from: Self.authenticator(proving: .any), for: item.attributes.accessControl)
      for run in [self, other] {
        try run.expectSecret(
          "secret", of: item, "secret(of:) with a proof", "the secret", authorizedBy: reading)
      }
    }
    for proofs in [AuthenticationProofs.biometry, .presence, [.biometry, .presence]] {
      let insufficient = try await authorization(
        from: Self.authenticator(proving: proofs), for: AccessControl(flags: .userPresence))
      for item in items where item.attributes.accessControl.flags == .devicePasscode {
        expect(
          Self.denial, "secret(of:) with the proofs \(proofs)",
          try secret(of: item, authorizedBy: insufficient))
      }
    }
  }

  func applicationPasswordIsRequired() async throws {
    guard enforcesAccessControl else { return }
    let right = try await authorization(password: Secret("right"))
    let wrong = try await authorization(password: Secret("wrong"))
    guard var item = try addConstrained(.applicationPassword, right) else { return }
    expect(Self.denial, "secret(of:) without a password", try secret(of: item))
    expect(.wrongApplicationPassword, "secret(of:)", try secret(of: item, authorizedBy: wrong))
    expect(
      .wrongApplicationPassword, "update",
      try update(item, secret: Secret("lost"), authorizedBy: wrong))
    try other.expectSecret(
      "secret", of: item, "secret(of:) with the password", "the secret", authorizedBy: right)
    let changing = try await authorization(password: Secret("right"), new: Secret("other"))
    item = try update(item, secret: Secret("new"), authorizedBy: changing)
    expect(
      .wrongApplicationPassword, "secret(of:) with the old password",
      try secret(of: item, authorizedBy: right))
    try expectSecret(
      "new", of: item, "secret(of:) with the new password", "the new secret",
      authorizedBy: try await authorization(password: Secret("other")))
  }

  /// The flags for which the proofs `any` are sufficient.
  private static let provableFlags: [AccessFlags] = [
    .userPresence, .biometryAny, .devicePasscode, [.biometryAny, .or, .devicePasscode],
    [.biometryAny, .and, .devicePasscode],
  ]

  /// Adds an item with access flags; returns nil if the store does not support them.
  ///
  /// A store that enforces access control must support `userPresence`.
  private func addConstrained(
    _ flags: AccessFlags, _ authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem? {
    do throws(SecretStoreError) {
      return try add(
        .generic(service: "\(flags.rawValue)"), attributes: Self.attributes(flags),
        authorizedBy: authorization)
    } catch {
      if case .unsupported = error, flags != .userPresence { return nil }
      throw error
    }
  }

  private func authorization(
    from authenticator: CustomAuthenticator? = nil,
    for accessControl: AccessControl = AccessControl(), password: Secret? = nil, new: Secret? = nil
  ) async throws(SecretStoreError) -> Authorization {
    try await AuthenticationContext(
      reason: findings.title, authenticator: authenticator, applicationPassword: password,
      newApplicationPassword: new, applicationPasswordCost: .minimum
    ).authorization(for: accessControl, with: store.authenticator)
  }

  private static func authenticator(proving proofs: AuthenticationProofs) -> CustomAuthenticator {
    CustomAuthenticator(capabilities: proofs) { $0.accepted.intersection(proofs) }
  }

  private static func attributes(_ flags: AccessFlags) -> ItemAttributes {
    ItemAttributes(accessControl: AccessControl(flags: flags))
  }

  private static let denial = SecretStoreError.denied("it requires authentication")
}

import SecretStorage

// The checks of access flags, authorizations and application passwords.
extension ConformanceRun {
  private var enforcesAccessControl: Bool { store.guarantees.contains(.enforcesAccessControl) }

  func accessFlagsAreEnforcedOrRejected() throws {
    let plain = try add(.generic(service: "plain"))
    for flags in rejectedFlags {
      let identity = ItemIdentity.generic(service: "\(flags.rawValue)")
      let attributes = ItemAttributes(accessControl: AccessControl(flags: flags))
      let added = try acceptedItem(
        "add with access flags", try add(identity, attributes: attributes))
      let updated = try acceptedItem("update with access flags", try update(plain, attributes))
      expect(
        added == nil && updated == nil, "write with access flags \(flags.rawValue)",
        "a rejection, because the store cannot enforce them")
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
    var items: [SecretItem] = []
    for flags in Self.provableFlags {
      if let item = try addConstrained(flags, saving) { items.append(item) }
    }
    let plain = try add(.generic(service: "plain"))
    items.append(
      try store.update(
        plain.id, expecting: plain.revision,
        attributes: ItemAttributes(accessControl: AccessControl(flags: .userPresence)),
        secret: nil, authorizedBy: saving))
    for item in items {
      for instance in [store, otherInstance] {
        expectDenied("secret(of:)", try instance.secret(of: item.id))
        expectDenied(
          "secret(of:) without a proof", try instance.secret(of: item.id, authorizedBy: saving))
      }
    }
    for item in items {
      let reading = try await authorization(
        from: Self.authenticator(proving: .any), for: item.attributes.accessControl)
      for instance in [store, otherInstance] {
        let found = try instance.secret(of: item.id, authorizedBy: reading)
        expect(found?.secret == Secret("secret".utf8), "secret(of:) with a proof", "the secret")
      }
    }
    for proofs in [AuthenticationProofs.biometry, .presence, [.biometry, .presence]] {
      let insufficient = try await authorization(
        from: Self.authenticator(proving: proofs), for: AccessControl(flags: .userPresence))
      for item in items where item.attributes.accessControl.flags == .devicePasscode {
        expectDenied(
          "secret(of:) with the proofs \(proofs)",
          try store.secret(of: item.id, authorizedBy: insufficient))
      }
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
      try otherInstance.secret(of: item.id, authorizedBy: right)?.secret == Secret("secret".utf8),
      "secret(of:) with the password", "the secret")
    let changing = try await authorization(password: "right", new: "other")
    item = try store.update(
      item.id, expecting: item.revision, attributes: nil, secret: Secret("new".utf8),
      authorizedBy: changing)
    expect(
      .wrongApplicationPassword, "secret(of:) with the old password",
      try store.secret(of: item.id, authorizedBy: right))
    let new = try await authorization(password: "other")
    expect(
      try store.secret(of: item.id, authorizedBy: new)?.secret == Secret("new".utf8),
      "secret(of:) with the new password", "the new secret")
  }

  private static let provableFlags: [AccessFlags] = [
    .userPresence, .biometryAny, .devicePasscode, [.biometryAny, .or, .devicePasscode],
    [.biometryAny, .and, .devicePasscode],
  ]

  /// Returns nil if the store does not support optional flags.
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

  private func authorization(
    from authenticator: CustomAuthenticator? = nil,
    for accessControl: AccessControl = AccessControl(), password: String? = nil, new: String? = nil
  ) async throws(SecretStoreError) -> Authorization {
    try await AuthenticationContext(
      reason: title, authenticator: authenticator,
      applicationPassword: password.map { Secret($0) },
      newApplicationPassword: new.map { Secret($0) }, applicationPasswordCost: .minimum
    ).authorization(for: accessControl, with: store.authenticator)
  }

  private static func authenticator(proving proofs: AuthenticationProofs) -> CustomAuthenticator {
    CustomAuthenticator(capabilities: proofs) { $0.accepted.intersection(proofs) }
  }

  private func expectDenied<Result>(
    _ operation: String, _ body: @autoclosure () throws(SecretStoreError) -> Result?
  ) {
    do throws(SecretStoreError) {
      _ = try body()
      expect(false, operation, "the error denied, but the operation succeeded")
    } catch {
      if case .denied = error { return }
      expect(false, operation, "the error denied, but got “\(error)”")
    }
  }
}

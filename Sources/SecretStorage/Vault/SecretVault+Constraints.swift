import CLibrary

// Sealing and opening the secrets of items that have access flags.
extension SecretVault {
  /// Returns the payload of a new item: its secret and the constraints of its access flags.
  ///
  /// This may derive a key from an application password, so it precedes the queueing of a write.
  func payload(
    of secret: Secret, _ identity: ItemIdentity, _ accessControl: AccessControl,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret {
    if accessControl.flags.isEmpty { return secret }
    let constraints = try AccessConstraints(accessControl.flags)
    let capabilities = (authorization.authenticator?.capabilities ?? [])
      .union(authenticator?.capabilities ?? [])
    if let missing = constraints.missing(from: capabilities) {
      throw .unsupported("a proof of \(missing), which no available authenticator can obtain")
    }
    var enrolledSet: [UInt8] = []
    if constraints.bindsEnrolledSet {
      guard let enrolled = (authorization.authenticator ?? authenticator)?.enrolledSet else {
        throw .unsupported(
          "biometryCurrentSet with an authenticator that does not report the enrolled fingerprints")
      }
      enrolledSet = try cipher.digest(enrolled[...])
    }
    guard constraints.needsApplicationPassword else {
      return ConstrainedSecret(enrolledSet: enrolledSet, content: secret).payload
    }
    guard let context = authorization.context,
      let password = context.newApplicationPassword ?? context.applicationPassword
    else { throw .needsApplicationPassword }
    try password.check()
    let cost = context.applicationPasswordCost
    try cost.check()
    return try ConstrainedSecret(
      enrolledSet: enrolledSet, sealing: secret, of: identity, under: password, cost: cost, cipher,
      checking: authorization.checkContext
    ).payload
  }

  /// Returns the payload to seal in an update of an item that has access flags before or after it.
  func payload(
    updating id: SecretItem.ID, expecting revision: UInt64, to secret: Secret?,
    _ requested: AccessControl?, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret {
    let isReading = secret == nil
    let (item, opened) = try read { contents throws(SecretStoreError) -> (VaultItem, Secret?) in
      guard let item = try contents.item(id, expecting: revision) else { throw .conflict }
      // Only an application password requires opening a secret that is replaced.
      guard isReading || item.accessControl.flags.contains(.applicationPassword) else {
        return (item, nil)
      }
      return (item, try contents.open(item, reading: isReading, authorizedBy: authorization))
    }
    let old = try opened.map { payload throws(SecretStoreError) in
      try self.secret(in: payload, of: item, reading: isReading, authorizedBy: authorization)
    }
    guard let content = secret ?? old else { throw .conflict }
    return try payload(
      of: content, item.identity, requested ?? item.accessControl, authorizedBy: authorization)
  }

  /// Returns the secret in an item's payload, after checking enrolled set and application password.
  func secret(
    in payload: Secret, of item: VaultItem, reading isReading: Bool,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret {
    let flags = item.accessControl.flags
    if flags.isEmpty { return payload }
    let constrained: ConstrainedSecret
    do throws(SecretStoreError) {
      constrained = try ConstrainedSecret(
        decoding: payload, hasPassword: flags.contains(.applicationPassword))
    } catch .malformedRecord {
      throw .corrupted("The secret of item \(item.id.uuid) is malformed")
    }
    let constraints = try AccessConstraints(flags)
    if !locketBreak(36), constraints.bindsEnrolledSet, authorization.proofs.contains(.biometry) {
      // A biometric proof must be based on the set that was enrolled when the item was saved.
      let enrolledSet = try authorization.enrolledSet.map { set throws(SecretStoreError) in
        try cipher.digest(set[...])
      }
      let otherProofs = authorization.proofs.subtracting(.biometry)
      if isReading, enrolledSet != constrained.enrolledSet,
        constraints.missing(from: otherProofs) != nil
      {
        throw .denied("fingerprints or faces have been enrolled or removed since it was saved")
      }
    }
    // This may take half a second, so the lock of `contents` is not held.
    return try constrained.secret(
      of: item.identity, with: authorization.context?.applicationPassword, cipher,
      checking: authorization.checkContext)
  }
}

extension AccessConstraints {
  /// Throws `denied` if a required application password or, in a read, a required proof is missing.
  func check(
    _ authorization: Authorization, reading isReading: Bool
  ) throws(SecretStoreError) {
    if needsApplicationPassword, authorization.context?.applicationPassword == nil {
      throw .needsApplicationPassword
    }
    guard !locketBreak(35), isReading, let missing = missing(from: authorization.proofs) else { return }
    throw .denied("it requires \(missing), which an authentication context can obtain")
  }
}

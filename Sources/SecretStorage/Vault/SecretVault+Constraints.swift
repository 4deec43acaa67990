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
    let bound = try constraints.checkSaving(authorization, with: authenticator)
    let enrolledSet = try bound.enrolledSet.map { set throws(SecretStoreError) in
      try cipher.digest(set[...])
    }
    guard let (password, cost) = bound.password else {
      return ConstrainedSecret(enrolledSet: enrolledSet ?? [], content: secret).payload
    }
    return try ConstrainedSecret(
      enrolledSet: enrolledSet ?? [], sealing: secret, of: identity, under: password, cost: cost,
      cipher, checking: authorization.checkContext
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
    if isReading {
      try AccessConstraints(flags).checkEnrolledSet(of: authorization) {
        set throws(SecretStoreError) in
        try cipher.digest(set[...]) == constrained.enrolledSet
      }
    }
    // This may take half a second, so the lock of `contents` is not held.
    return try constrained.secret(
      of: item.identity, with: authorization.context?.applicationPassword, cipher,
      checking: authorization.checkContext)
  }
}

extension AccessConstraints {
  /// What an item is bound to when it is saved: the enrolled set, and the application password with
  /// the cost of deriving its key; nil for what the flags do not need.
  typealias Bound = (
    enrolledSet: [UInt8]?, password: (password: ApplicationPassword, cost: ScryptCost)?
  )

  /// Returns what a new item is bound to.
  ///
  /// Throws `unsupported` if neither the authenticator of the authorization nor that of the store
  /// can obtain the proofs, or `denied` if a required application password is missing.
  func checkSaving(
    _ authorization: Authorization, with authenticator: (any Authenticator)?
  ) throws(SecretStoreError) -> Bound {
    let capabilities = (authorization.authenticator?.capabilities ?? [])
      .union(authenticator?.capabilities ?? [])
    if let missing = missing(from: capabilities) {
      throw .unsupported("a proof of \(missing), which no available authenticator can obtain")
    }
    var bound: Bound = (nil, nil)
    if bindsEnrolledSet {
      bound.enrolledSet = (authorization.authenticator ?? authenticator)?.enrolledSet
      if bound.enrolledSet == nil {
        throw .unsupported(
          "biometryCurrentSet with an authenticator that does not report the enrolled fingerprints")
      }
    }
    if needsApplicationPassword {
      guard let context = authorization.context,
        let password = context.newApplicationPassword ?? context.applicationPassword
      else { throw .needsApplicationPassword }
      try password.check()
      try context.applicationPasswordCost.check()
      bound.password = (password, context.applicationPasswordCost)
    }
    return bound
  }

  /// Throws `denied` if reading relies on a biometric proof that is based on another enrolled set
  /// than the one to which the item is bound; the closure compares a set with that one.
  func checkEnrolledSet(
    of authorization: Authorization, isBound: ([UInt8]) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) {
    guard bindsEnrolledSet, authorization.proofs.contains(.biometry) else { return }
    if let set = authorization.enrolledSet, try isBound(set) { return }
    if missing(from: authorization.proofs.subtracting(.biometry)) == nil { return }
    throw .denied("fingerprints or faces have been enrolled or removed since it was saved")
  }

  /// Throws `denied` if a required application password or, in a read, a required proof is missing.
  func check(
    _ authorization: Authorization, reading isReading: Bool
  ) throws(SecretStoreError) {
    if needsApplicationPassword, authorization.context?.applicationPassword == nil {
      throw .needsApplicationPassword
    }
    guard isReading, let missing = missing(from: authorization.proofs) else { return }
    throw .denied("it requires \(missing), which an authentication context can obtain")
  }
}

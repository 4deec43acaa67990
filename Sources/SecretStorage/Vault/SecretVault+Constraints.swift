import StorageInternals

extension SecretVault {
  /// What is sealed for an item: its secret, and with access flags what goes with it.
  ///
  /// It is made before a write has its turn, as an application password takes long to stretch, and
  /// neither a getter nor another write may wait for that.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` or ``SecretStoreError/unsupported(_:)`` for flags that
  ///   make no sense or that nobody at hand can check, or ``SecretStoreError/denied(_:)`` without the
  ///   application password that is needed.
  func payload(
    of secret: Secret, _ identity: ItemIdentity, _ accessControl: AccessControl,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret {
    if accessControl.flags.isEmpty { return secret }
    let constraints = try AccessConstraints(accessControl.flags)
    let enrolledSet = try digestOfEnrolledSet(for: constraints, authorization)
    guard constraints.needsApplicationPassword else {
      return ConstrainedSecret(enrolledSet: enrolledSet, content: secret).payload
    }
    let password = authorization.newApplicationPassword ?? authorization.applicationPassword
    guard let password else { throw .needsApplicationPassword }
    try password.check()
    let cost = authorization.applicationPasswordCost
    try cost.check()
    return try ConstrainedSecret(
      enrolledSet: enrolledSet, sealing: secret, of: identity, under: password, cost: cost, cipher
    ).payload
  }

  /// Makes sure that somebody can meet the constraints, and says what is enrolled, if that matters.
  private func digestOfEnrolledSet(
    for constraints: AccessConstraints, _ authorization: Authorization
  ) throws(SecretStoreError) -> [UInt8] {
    let capabilities = (authorization.authenticator?.capabilities ?? [])
      .union(authenticator?.capabilities ?? [])
    if let missing = constraints.missing(from: capabilities) {
      throw .unsupported("a proof of \(missing), which no authenticator at hand can get")
    }
    guard constraints.bindsEnrolledSet else { return [] }
    guard let enrolledSet = (authorization.authenticator ?? authenticator)?.enrolledSet else {
      throw .unsupported(
        "biometryCurrentSet with an authenticator that cannot tell which fingerprints are enrolled")
    }
    return try cipher.digest(enrolledSet[...])
  }

  /// What is sealed anew by an update; nil when what was sealed stays, or the write itself moves it.
  func payload(
    updating id: SecretItem.ID, expecting revision: UInt64, to secret: Secret?,
    _ wanted: AccessControl?, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret? {
    // An item of one revision is the same whenever it was read, so what is known will do.
    var known = contents.withLock { $0.index[id] }
    if known?.revision != revision {
      known = try read { contents throws(SecretStoreError) in
        try contents.entry(id, expecting: revision)
      }
    }
    guard let entry = known else { throw .conflict }
    let old = entry.accessControl
    let new = wanted ?? old
    if old.flags.isEmpty, new.flags.isEmpty { return secret }
    if secret == nil, new == old { return nil }
    let kept: Secret
    if let secret, !old.flags.contains(.applicationPassword) {
      kept = secret
    } else {
      let present = try open(
        id, for: secret == nil ? .reading : .replacing, authorizedBy: authorization)
      guard let present, present.itemRevision == revision else { throw .conflict }
      kept = secret ?? present.secret
    }
    return try payload(of: kept, entry.identity, new, authorizedBy: authorization)
  }

  /// Opens the secret of an item, as far as it is authorised; nil when there is no such item.
  func open(
    _ id: SecretItem.ID, for access: SecretAccess, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    let opened = try read { contents throws(SecretStoreError) -> (VaultItem, SecretReading)? in
      guard let entry = try contents.entry(id) else { return nil }
      let payload = try contents.open(entry, for: access, authorizedBy: authorization)
      contents.idle?.noteUse()
      let reading = SecretReading(
        secret: payload, itemRevision: entry.revision, storeRevision: contents.revision)
      return (entry, reading)
    }
    guard let (entry, reading) = opened else { return nil }
    let flags = entry.accessControl.flags
    if flags.isEmpty { return reading }
    let constrained: ConstrainedSecret
    do throws(MalformedRecord) {
      constrained = try ConstrainedSecret(
        reading: reading.secret, hasPassword: flags.contains(.applicationPassword))
    } catch {
      throw .corrupted("The secret of the item \(id.bytes) is malformed")
    }
    try access.checkEnrolledSet(
      constrained.enrolledSet, AccessConstraints(flags), authorization, cipher)
    // Without the lock of the contents: this may take half a second.
    let secret = try constrained.secret(
      of: entry.identity, with: authorization.applicationPassword, cipher)
    return SecretReading(
      secret: secret, itemRevision: reading.itemRevision, storeRevision: reading.storeRevision)
  }
}

extension VaultContents {
  /// An item whose state is beyond doubt; nil when there surely is none.
  fileprivate func entry(_ id: SecretItem.ID) throws(SecretStoreError) -> VaultItem? {
    if let place = damage[id] { throw .doubt(of: id, place) }
    if let entry = index[id] { return entry }
    if sealedRecords > 0 { throw keys.lockReason }
    if let place = damage.hiding {
      throw .corrupted("The item may have been at \(place), which is damaged")
    }
    return nil
  }
}

extension SecretStoreError {
  static func doubt(of id: SecretItem.ID, _ place: String) -> SecretStoreError {
    .corrupted(
      "The newest state of the item \(id.bytes) may have been at \(place), which is damaged")
  }
}

/// What an app does with the secret of an item that has access flags.
enum SecretAccess {
  /// The app gets the secret, or seals it under other terms.
  case reading
  /// The app puts another secret in its place, which no person needs to approve; but who has a wrong
  /// application password would lock out everybody who has the right one.
  case replacing

  /// Checks what can be checked before anything is opened.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)``, saying what is missing.
  func check(
    _ constraints: AccessConstraints, _ authorization: Authorization
  ) throws(SecretStoreError) {
    if constraints.needsApplicationPassword, authorization.applicationPassword == nil {
      throw .needsApplicationPassword
    }
    try checkProofs(authorization.proofs, constraints)
  }

  /// Checks whether biometry was proved by what was enrolled when the item was saved.
  func checkEnrolledSet(
    _ digest: [UInt8], _ constraints: AccessConstraints, _ authorization: Authorization,
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    guard constraints.bindsEnrolledSet, authorization.proofs.contains(.biometry) else { return }
    if let enrolledSet = authorization.enrolledSet {
      if try cipher.digest(enrolledSet[...]) == digest { return }
    }
    do throws(SecretStoreError) {
      try checkProofs(authorization.proofs.subtracting(.biometry), constraints)
    } catch {
      throw .denied(
        """
        fingerprints or faces were enrolled or removed since it was saved, and only those of then \
        count
        """)
    }
  }

  private func checkProofs(
    _ proofs: AuthenticationProofs, _ constraints: AccessConstraints
  ) throws(SecretStoreError) {
    guard self == .reading, let missing = constraints.missing(from: proofs) else { return }
    throw .denied("it needs \(missing), for which an authentication context asks")
  }
}

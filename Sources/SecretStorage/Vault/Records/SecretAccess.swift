/// A kind of access to the secret of an item with access flags.
enum SecretAccess {
  /// Reading the secret, or sealing it with different flags.
  case reading
  /// Replacing the secret, which requires no proof except the item's application password.
  case replacing

  /// Checks the proofs that are required before opening the secret; throws `denied` without them.
  func check(
    _ constraints: AccessConstraints, _ authorization: Authorization
  ) throws(SecretStoreError) {
    if constraints.needsApplicationPassword, authorization.applicationPassword == nil {
      throw .needsApplicationPassword
    }
    try checkProofs(authorization.proofs, constraints)
  }

  /// Checks that a biometric proof is based on the set that was enrolled when the item was saved.
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
      throw .denied("fingerprints or faces have been enrolled or removed since it was saved")
    }
  }

  private func checkProofs(
    _ proofs: AuthenticationProofs, _ constraints: AccessConstraints
  ) throws(SecretStoreError) {
    guard self == .reading, let missing = constraints.missing(from: proofs) else { return }
    throw .denied("it requires \(missing), which an authentication context can obtain")
  }
}

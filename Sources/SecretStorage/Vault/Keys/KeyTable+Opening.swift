extension KeyTable {
  /// Returns the user key from the first slot that a key opens.
  ///
  /// The check is called before each slot and several times a second during key derivations. It
  /// cancels the operation by throwing, as does cancelling the task.
  func open(
    with key: SlotKey, _ cipher: any SecretCipher,
    otherwise refusal: SecretStoreError = .wrongPassphrase,
    checking check: () throws(SecretStoreError) -> Void = {}
  ) throws(SecretStoreError) -> Secret {
    var failure = refusal
    var cancellation: SecretStoreError?
    func checkCancellation() throws(SecretStoreError) {
      do throws(SecretStoreError) {
        if TaskCancellation.isRequested { throw .cancelled }
        try check()
      } catch {
        cancellation = error
        throw error
      }
    }
    let sealer = sealer(cipher)
    var work: UInt64 = 0
    for slot in slots {
      if key.kind.cost != nil { work += slot.work }
      guard work <= Self.workLimit else {
        // Only a forged file requires this much work.
        throw .corrupted("The passphrase slots together require an excessive amount of work")
      }
      try checkCancellation()
      do throws(SecretStoreError) {
        let user = try slot.open(with: key, by: sealer, checking: checkCancellation)
        if let user { return user }
      } catch {
        if let cancellation { throw cancellation }
        // The key may still open another slot.
        failure = error
      }
    }
    throw failure
  }
}

extension KeyTable {
  /// Returns the user key from the first slot that a key opens.
  ///
  /// The check is called before each slot, and a few times a second during the key derivation; it
  /// cancels the work by throwing. Cancelling the task has the same effect.
  func open(
    with key: SlotKey, _ cipher: any SecretCipher,
    otherwise refusal: SecretStoreError = .wrongPassphrase,
    checking check: () throws(SecretStoreError) -> Void = {}
  ) throws(SecretStoreError) -> Secret {
    var failure = refusal
    var ending: SecretStoreError?
    func checkAndNote() throws(SecretStoreError) {
      do throws(SecretStoreError) {
        if TaskCancellation.isRequested { throw .cancelled }
        try check()
      } catch {
        ending = error
        throw error
      }
    }
    let sealer = sealer(cipher)
    var work: UInt64 = 0
    for slot in slots {
      if key.kind.cost != nil { work += slot.work }
      guard work <= Self.workLimit else {
        // Only a forged file asks for hours of work.
        throw .corrupted(
          "The key slots of passphrases together ask for an excessive amount of work")
      }
      try checkAndNote()
      do throws(SecretStoreError) {
        let user = try slot.open(with: key, by: sealer, checking: checkAndNote)
        if let user { return user }
      } catch {
        if let ending { throw ending }
        // Another slot may be intact.
        failure = error
      }
    }
    throw failure
  }
}

import SecretStorage

extension PasswordItem {
  /// Reads the item; where that needs a proof, a person is asked for it while the thread waits.
  ///
  /// - Throws: As `load(authorizedBy:)` does.
  func loadAskingAndWaiting() throws(SecretStoreError) -> Value? {
    do throws(SecretStoreError) {
      return try load()
    } catch {
      guard case .denied = error, BlockingWait.isPossible else { throw error }
      let context = AuthenticationContext(reason: "Read a password")
      return try BlockingWait.value { () async throws(SecretStoreError) in
        try await self.load(authorizedBy: context)
      }
    }
  }
}

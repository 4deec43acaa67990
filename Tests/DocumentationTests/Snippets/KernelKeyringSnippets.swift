import KernelKeyring
import SecretStorage

/// The code of the overview of `KernelKeyring`.
struct KernelKeyringSnippets {
  private func unlock(_ vault: SecretVault, _ passphrase: Secret) throws {
    vault.unlockCache = .kernelKeyring(for: .seconds(900))
    try vault.unlock(with: .passphrase(passphrase))
  }
}

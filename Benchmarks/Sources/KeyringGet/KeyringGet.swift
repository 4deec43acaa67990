import Glibc
import SecretService
import SecretStorage

/// A process that reads one secret of the desktop's keyring, for `KeyringRows`.
@main enum KeyringGet {
  static func main() {
    let password = PasswordItem<String>(
      .generic(service: "benchmark", account: CommandLine.arguments[1]), in: .secretService)
    exit(password.value == nil ? 1 : 0)
  }
}
